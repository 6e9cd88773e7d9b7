vcl 4.1;

backend default {
  .host = "127.0.0.1";
  .port = "4000";
}

acl purgers {
  "127.0.0.1";
  "::1";
}

sub vcl_recv {
  if (req.method == "BAN") {
    if (client.ip !~ purgers) {
      return (synth(403));
    }
    ban("obj.http.x-url ~ " + req.http.x-ban);
    return (synth(204));
  }
  if (req.method == "HEAD" || req.method == "QUERY") {
    return (pass);
  }
}

sub vcl_backend_response {
  set beresp.http.x-url = bereq.url;
  // What may be kept at all is kept until it is purged. purge.ts purges everything when it starts: start it with Varnish.
  if (beresp.ttl > 0s) {
    set beresp.ttl = 1h;
    set beresp.grace = 0s;
  }
}

sub vcl_deliver {
  unset resp.http.x-url;
}
