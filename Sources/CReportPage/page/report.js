/**
 * Starts the report: its figures, filters and rows, from the data that the page has as JSON. `addressOf` makes the address of the rows of a
 * choice from the fragment that the file of a report has for it.
 */
function startReport(addressOf = fragment => fragment) {
  const filters = reportFilters();
  reportOutcomes(filters, addressOf);
  reportDecoded(filters);
  reportBusiness(filters);
  reportRejects(filters);
  filters.start();
}
