/// The style sheets and scripts of the pages that `report` and `case` write and that `view` shows, embedded in the program.
///
/// They are in `page/` and `view/` as files of their own, so that the tools for their languages can check and test them.
#pragma once

#include <stddef.h>

/// Text in UTF-8, without a zero at its end. It lives as long as the program.
typedef struct {
  const unsigned char *_Nonnull bytes;
  size_t count;
} creportpage_text;

/// The style of all pages: `page.css`.
creportpage_text creportpage_style(void);

/// The style of a case, in addition: `case.css`.
creportpage_text creportpage_case_style(void);

/// All scripts of the report, one after the other, as one script.
creportpage_text creportpage_script(void);

/// The frame of the live page, as HTML. It loads `/page.css` and `/page.js`.
creportpage_text creportpage_view_html(void);

/// The style of the live page: `page.css`, and then `view.css`.
creportpage_text creportpage_view_style(void);

/// All scripts of the live page, one after the other, as one script.
creportpage_text creportpage_view_script(void);
