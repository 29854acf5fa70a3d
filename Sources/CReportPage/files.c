#include "CReportPage.h"

// The compiler reads the files, and knows that it depends on them. As an array of bytes in Swift they took it 13 s.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char style[] = {
#embed "page/page.css"
};

static const unsigned char case_style[] = {
#embed "page/case.css"
};

// Each file uses those above it. `Tests/Page` reads the order here.
static const unsigned char script[] = {
#embed "page/formats.js"
  ,
#embed "page/rules.js"
  ,
#embed "page/drawing.js"
  ,
#embed "page/record-charts.js"
  ,
#embed "page/business-charts.js"
  ,
#embed "page/figures.js"
  ,
#embed "page/filters.js"
  ,
#embed "page/outcomes.js"
  ,
#embed "page/decoded.js"
  ,
#embed "page/business.js"
  ,
#embed "page/rejects.js"
};

creportpage_text creportpage_style(void) { return (creportpage_text){style, sizeof style}; }
creportpage_text creportpage_case_style(void) { return (creportpage_text){case_style, sizeof case_style}; }
creportpage_text creportpage_script(void) { return (creportpage_text){script, sizeof script}; }

creportpage_text creportpage_view_html(void) { return (creportpage_text){(const unsigned char *)"<!doctype html>", 15}; }
creportpage_text creportpage_view_style(void) { return creportpage_style(); }
creportpage_text creportpage_view_script(void) { return creportpage_script(); }
