/** The case of some records as a download, for a dispute: the files that `postback case` writes. */
const cases = (function () {
  const { make, lines } = elements;

  /** The downloads of a case, with the command lines that make them; nothing where none is offered. */
  function offer(found) {
    if (!found) return null;
    const { conditions, since, until, command, command_for_partner: forPartner } = found, asked = { where: conditions, since, until };
    const link = (form, text, part = {}) => make("a", { href: "/api/case" + form + address.query({ ...asked, ...part }), download: true }, text);
    const about = [...conditions, since && "since " + since, until && "until " + until].filter(text => text).join(", ");
    return make("details", { class: "case" }, make("summary", {}, "Case of " + about),
      make("p", { class: "note" }, "Everything about these records in a file, for a dispute: numbers by outcome and day, what was changed, the signals, the "
        + "method and its limits, and examples with commands that verify their signatures. Of many records it takes minutes; downloads are made one "
        + "after the other."),
      command && make("p", { class: "source" }, link("", "Case as a page"), link(".json", "as JSON"), link(".csv", "Suspicious transactions as CSV")),
      forPartner && make("p", { class: "source" }, link("", "Case for the partner", { for_partner: "true" }),
        link(".json", "as JSON", { for_partner: "true" }), link(".csv", "Suspicious transactions as CSV", { for_partner: "true" }),
        make("span", { class: "note" }, "without revenue, paths and the names of others")),
      make("p", { class: "note" }, "The same by command line" + (command && forPartner ? ", and for the partner:" : ":")),
      lines([command, forPartner].filter(text => text).join("\n"), "commands"));
  }

  return { offer };
})();
