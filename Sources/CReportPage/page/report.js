/** Starts the report: its figures, filters and rows, from the data that the page has as JSON. */
function startReport() {
  const filters = reportFilters();
  reportOutcomes(filters);
  reportDecoded(filters);
  reportBusiness(filters);
  reportRejects(filters);
  filters.start();
}
