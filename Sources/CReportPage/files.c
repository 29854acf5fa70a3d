#include "CReportPage.h"

// The compiler reads the files, and knows that it depends on them. As an array of bytes in Swift they took it 13 s.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char style[] = {
#embed "page/page.css"
};

static const unsigned char case_style[] = {
#embed "page/case.css"
};

static const unsigned char script[] = {
#include "page/scripts.inc"
  ,
#embed "page/start.js"
};

static const unsigned char view_html[] = {
#embed "view/view.html"
};

static const unsigned char view_style[] = {
#embed "page/page.css"
  ,
#embed "view/view.css"
};

// The scripts of the report but for the one that starts it, and then those of the views.
static const unsigned char view_script[] = {
#include "page/scripts.inc"
  ,
#embed "view/elements.js"
  ,
#embed "view/tables.js"
  ,
#embed "view/address.js"
  ,
#embed "view/server.js"
  ,
#embed "view/live.js"
  ,
#embed "view/views.js"
  ,
#embed "view/session.js"
  ,
#embed "view/sections.js"
  ,
#embed "view/cases.js"
  ,
#embed "view/paged.js"
  ,
#embed "view/overview.js"
  ,
#embed "view/campaigns.js"
  ,
#embed "view/reject-charts.js"
  ,
#embed "view/rejects.js"
  ,
#embed "view/report.js"
  ,
#embed "view/signals.js"
  ,
#embed "view/pasted.js"
  ,
#embed "view/postback.js"
  ,
#embed "view/start.js"
};

creportpage_text creportpage_style(void) { return (creportpage_text){style, sizeof style}; }
creportpage_text creportpage_case_style(void) { return (creportpage_text){case_style, sizeof case_style}; }
creportpage_text creportpage_script(void) { return (creportpage_text){script, sizeof script}; }
creportpage_text creportpage_view_html(void) { return (creportpage_text){view_html, sizeof view_html}; }
creportpage_text creportpage_view_style(void) { return (creportpage_text){view_style, sizeof view_style}; }
creportpage_text creportpage_view_script(void) { return (creportpage_text){view_script, sizeof view_script}; }
