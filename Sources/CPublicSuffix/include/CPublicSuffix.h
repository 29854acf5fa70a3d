/// The Public Suffix List as libpsl has it, which is opened when it is first needed. libcurl brings it.
#pragma once

/// Returns the registrable part of a domain in lower case, as a part of `domain`: `example.co.uk` of `www.example.co.uk`.
/// Returns NULL if the domain is a public suffix itself, and the whole domain if libpsl cannot be opened.
const char *_Nullable cpublicsuffix_registrable(const char *_Nonnull domain);
