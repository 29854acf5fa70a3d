// The file of a report has all that it needs when this is run.
startReport();
