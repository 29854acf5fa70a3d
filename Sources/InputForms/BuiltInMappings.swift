extension Mapping {
  /// The mappings that `--mapping` knows by their names.
  package static let builtIn: [Mapping] = texts.compactMap { try? Mapping(parsing: Array($0.utf8)) }

  /// The built-in mappings as mapping files. A test holds that each of them is one.
  static let texts: [String] = [
    #"""
    {
      "name": "adjust",
      "title": "Adjust: CSV exports and JSON callbacks with {sk_payload}",
      "documentation": "help.adjust.com/en/article/skad-activity-install, read 2026-11-24",
      "form": "csv",
      "open": ["$.sk_payload", "percent"],
      "context": { "received_at": "$.sk_ts" },
      "constants": { "channel": "network_forwarded", "forwarder": "adjust" }
    }
    """#,
    #"""
    {
      "name": "adjust-callbacks",
      "title": "Adjust: URLs of callbacks with sk_payload, one on each line, as in access logs",
      "documentation": "help.adjust.com/en/article/skad-activity-install, read 2026-11-24",
      "form": "words",
      "open": ["query", "$.sk_payload", "percent"],
      "context": { "received_at": "$.sk_ts" },
      "constants": { "channel": "network_forwarded", "forwarder": "adjust" }
    }
    """#,
    #"""
    {
      "name": "adjust-placeholders",
      "title": "Adjust: CSV exports and JSON callbacks with the placeholders of each field",
      "documentation": "help.adjust.com/en/article/skad-activity-install, read 2026-11-24",
      "form": "csv",
      "fields": {
        "sk_ts": "received_at",
        "sk_version": "version",
        "sk_network_id": "ad-network-id",
        "sk_campaign_id": "campaign-id",
        "sk_transaction_id": "transaction-id",
        "sk_app_id": "app-id",
        "sk_attribution_signature": "attribution-signature",
        "sk_redownload": "redownload",
        "sk_source_app_id": "source-app-id",
        "sk_conversion_value": "conversion-value",
        "sk_fidelity_type": "fidelity-type",
        "sk_did_win": "did-win",
        "app_id": null,
        "country": null
      },
      "constants": { "channel": "network_forwarded", "forwarder": "adjust" }
    }
    """#,
    #"""
    {
      "name": "appsflyer",
      "title": "AppsFlyer: reports of SKAN postbacks by Data Locker, Push API and the aggregate API",
      "documentation": "support.appsflyer.com/hc/en-us/articles/360014261518 and 360016646557, read 2026-11-24",
      "form": "csv",
      "fields": {
        "timestamp": "received_at",
        "arrival_date": "received_at",
        "skad_version": "version",
        "skad_ad_network_id": "ad-network-id",
        "skad_campaign_id": "campaign-id",
        "skad_source_identifier": "source-identifier",
        "skad_transaction_id": "transaction-id",
        "skad_app_id": "app-id",
        "skad_attribution_signature": "attribution-signature",
        "skad_redownload": "redownload",
        "skad_source_app_id": "source-app-id",
        "skad_source_domain": "source-domain",
        "skad_conversion_value": "conversion-value",
        "skad_coarse_conversion_value": "coarse-conversion-value",
        "skad_fidelity_type": "fidelity-type",
        "skad_did_win": "did-win",
        "skad_postback_sequence_index": "postback-sequence-index",
        "app_id": null,
        "source_app_id": null,
        "country_code": null
      },
      "constants": { "channel": "network_forwarded", "forwarder": "appsflyer" },
      "exported": {
        "media_source": "network_name",
        "ad_network_name": "network_name",
        "ad_network_campaign_name": "campaign_name",
        "skad_revenue": "revenue",
        "count": "count"
      }
    }
    """#,
    #"""
    {
      "name": "aws-alb-log",
      "title": "AWS: access logs of Application Load Balancers, with the fields in the query",
      "documentation": "docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-access-logs.html, read 2026-11-24",
      "form": "words",
      "open": ["$[12]", "query"],
      "fields": {},
      "context": { "received_at": "$[1]" }
    }
    """#,
    #"""
    {
      "name": "aws-cloudfront-log",
      "title": "AWS: standard logs of CloudFront, with the fields in the query",
      "documentation": "docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/AccessLogs.html, read 2026-11-24",
      "form": "tabs",
      "open": ["$[11]", "query"],
      "fields": {},
      "context": { "received_at": ["$[0]", "T", "$[1]", "Z"] }
    }
    """#,
    #"""
    {
      "name": "aws-lambda",
      "title": "AWS: events of API Gateway and of load balancers for Lambda functions",
      "documentation": "docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html, read 2026-11-24",
      "form": "json",
      "open": ["$.body", "base64"],
      "context": {
        "received_at": ["$.requestContext.timeEpoch", "$.requestContext.requestTimeEpoch"],
        "remote_address": ["$.requestContext.http.sourceIp", "$.requestContext.identity.sourceIp"],
        "query": "$.rawQueryString"
      }
    }
    """#,
    #"""
    {
      "name": "aws-sqs",
      "title": "AWS: events of SQS queues for Lambda functions, each with one message or several",
      "documentation": "docs.aws.amazon.com/lambda/latest/dg/with-sqs.html, read 2026-11-25",
      "form": "json",
      "each": "$.Records",
      "open": ["$.body", "base64"],
      "context": { "received_at": "$.attributes.SentTimestamp" }
    }
    """#,
    #"""
    {
      "name": "branch",
      "title": "Branch: exports of SKAdNetwork messages (body_transaction_id and the like)",
      "documentation": "help.branch.io/marketer-hub/skadnetwork-data, read 2026-11-24",
      "form": "csv",
      "fields": {
        "timestamp": "received_at",
        "annotation_dollar_3p": "forwarder",
        "body_version": "version",
        "body_ad_network_id": "ad-network-id",
        "body_campaign_id": "campaign-id",
        "body_source_identifier": "source-identifier",
        "body_transaction_id": "transaction-id",
        "body_app_id": "app-id",
        "body_attribution_signature": "attribution-signature",
        "body_redownload": "redownload",
        "body_source_app_id": "source-app-id",
        "body_source_domain": "source-domain",
        "body_conversion_value": "conversion-value",
        "body_coarse_conversion_value": "coarse-conversion-value",
        "body_fidelity_type": "fidelity-type",
        "body_did_win": "did-win",
        "body_postback_sequence_index": "postback-sequence-index",
        "app_id": null
      },
      "constants": { "channel": "network_forwarded", "forwarder": "branch" },
      "exported": { "last_attributed_touch_data_tilde_campaign": "campaign_name" }
    }
    """#,
    #"""
    {
      "name": "gcp-load-balancer",
      "title": "Google Cloud: logs of HTTP load balancers, with the fields in the query",
      "documentation": "cloud.google.com/load-balancing/docs/https/https-logging-monitoring, read 2026-11-24",
      "form": "json",
      "open": ["$.httpRequest.requestUrl", "query"],
      "fields": {},
      "context": { "received_at": "$.timestamp", "remote_address": "$.httpRequest.remoteIp" }
    }
    """#,
    #"""
    {
      "name": "nginx",
      "title": "nginx: access logs that end with $request_body",
      "documentation": "nginx.org/en/docs/http/ngx_http_log_module.html, read 2026-11-24",
      "form": "words",
      "open": ["escapes", "object"],
      "context": { "received_at": "$[3]" }
    }
    """#,
    #"""
    {
      "name": "nginx-json",
      "title": "nginx: access logs in JSON (escape=json) with the members time_iso8601 and request_body",
      "documentation": "nginx.org/en/docs/http/ngx_http_log_module.html, read 2026-11-24",
      "form": "json",
      "open": ["$.request_body"],
      "context": { "received_at": "$.time_iso8601", "remote_address": "$.remote_addr", "query": "$.args" }
    }
    """#,
    #"""
    {
      "name": "singular",
      "title": "Singular: rows of SKAdNetwork Raw Data, which have no signature and are imported",
      "documentation": "support.singular.net/hc/en-us/articles/4408240139163 and 360056377792, read 2026-11-29",
      "form": "csv",
      "fields": {
        "SKAN App ID": "app-id",
        "SKAN Network ID": "ad-network-id",
        "SKAN Campaign ID": "campaign-id",
        "SKAN Publisher ID": "source-app-id",
        "Conversion Value": "conversion-value",
        "Country": null,
        "skan_app_id": "app-id",
        "skan_network_id": "ad-network-id",
        "skan_campaign_id": "campaign-id",
        "skan_publisher_id": "source-app-id",
        "skan_conversion_value": "conversion-value",
        "skan_redownloads": "redownload"
      },
      "exported": {
        "Source": "network_name",
        "source": "network_name",
        "SKAN Installs": "count",
        "skan_installs": "count",
        "SKAN Revenue": "revenue",
        "skan_revenue": "revenue"
      }
    }
    """#,
    #"""
    {
      "name": "tables",
      "title": "postback: rows of skan_postbacks (with --keep-raw) and of skan_rejects, in JSON Lines or CSV",
      "documentation": "docs/tables.md",
      "form": "csv",
      "open": ["$.raw_body"],
      "context": {
        "received_at": "$.received_at",
        "channel": "$.channel",
        "forwarder": "$.forwarder",
        "query": "$.query"
      }
    }
    """#,
  ]
}
