import { href } from 'hydrant/react'
import { Code } from '../../components/code.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Section } from '../../components/section.tsx'

export default function Deploy() {
  return (
    <>
      <PageHead title="Deploying" description="Build once, start anywhere: environment, proxies, base and signals." />
      <h1>Deploying</h1>
      <p className="lead">
        A built site is a folder and a command. It wants Node.js 20 or newer, and a proxy that speaks HTTPS in front of
        it.
      </p>
      <Section id="build" title="Build once">
        <Code title="Terminal" language="sh">
          {BUILD}
        </Code>
        <p>
          <code>.hydrant/</code> holds the server’s bundle, the browser’s files with their hashed names and compressed
          copies, and source maps. The maps are for the log and are never served. What the site needs to start is{' '}
          <code>.hydrant/</code>, <code>package.json</code> and the installed production dependencies.
        </p>
        <p>
          A build over an existing one keeps the browser’s files of that one, for pages that are open meanwhile. Who
          builds in an empty folder each time copies the last <code>.hydrant/</code> there first.
        </p>
        <p>The same build runs in every environment: everything but the esbuild option is decided when it starts.</p>
        <Code title="Terminal" language="sh">
          {START}
        </Code>
      </Section>
      <Section id="proxy" title="Behind a proxy">
        <p>
          Hydrant listens on 127.0.0.1 unless told otherwise and leaves HTTPS and HTTP/2 to a proxy. The package’s{' '}
          <code>docs/proxies/</code> has a configuration for each of nginx, HAProxy, Caddy and Apache. Its tests run
          them: streams that arrive part by part, forms, redirects, several processes, paths and socket files. In short:
        </p>
        <Code title="nginx" language="nginx">
          {NGINX}
        </Code>
        <p>
          The proxy says who the visitor is, and <code>trustProxy</code> names the proxy. Without it, visitors have the
          proxy’s address, failures name the wrong host and <code>url</code> begins with <code>http:</code>; a warning
          in the log tells. Trust exactly the proxies that you run: whoever is trusted may name any host and any
          address. A proxy that sends the standard <code>Forwarded</code> instead is read with{' '}
          <code>forwardedHeader</code>. <code>hosts</code> names those that you serve, and others are answered 421.
        </p>
        <p>
          <code>$http_host</code> keeps the port, which <code>$host</code> drops. On plain http at a port of its own a
          site needs it to tell its own <a href={href('/docs/forms', {}, { hash: 'other-sites' })}>forms</a> from those
          of others. Buffering needs no setting: streamed answers carry <code>X-Accel-Buffering: no</code>.
        </p>
        <p>
          On the same machine a socket file does instead of a port: <code>--socket /run/my-site/http.sock</code>. The
          proxy’s user has to be in its group.
        </p>
      </Section>
      <Section id="base" title="Below a path">
        <p>
          With a base, the site answers below that path and nowhere else. Its scripts, its styles and the routes of{' '}
          <code>server.ts</code> follow by themselves. So do links that{' '}
          <a href={href('/docs/pages', {}, { hash: 'links' })}>href</a> writes; an address that you write out stays as
          it is.
        </p>
        <Code title="Terminal" language="sh">
          {BASE}
        </Code>
        <p>
          The proxy passes the whole path on, base included. One that takes the base away needs{' '}
          <code>HYDRANT_PROXY_STRIPS_BASE=true</code> beside it, which puts it back.
        </p>
      </Section>
      <Section id="signals" title="Stopping">
        <p>
          On <code>SIGTERM</code> and <code>SIGINT</code> the server takes no new connections, finishes the requests in
          flight for at most <code>timeouts.drainMs</code>, closes Fastify with its plugins and ends with 0. A second
          signal ends it at once.
        </p>
        <p>
          <code>/_hydrant/live</code> says that the process answers, <code>/_hydrant/ready</code> that it is to be sent
          requests: 503 once it has been told to stop. Give <code>timeouts.stopDelayMs</code> the time that your load
          balancer takes to notice; until then the server answers as before.
        </p>
        <p>
          <code>--workers auto</code> serves with as many processes as the machine can run at once. One that dies is
          replaced. After a new build, <code>kill -HUP</code> to the process that was started exchanges them one by one,
          and no request is lost; a build that cannot start leaves the old ones at work.
        </p>
        <Code title="/etc/systemd/system/my-site.service" language="nginx">
          {SYSTEMD}
        </Code>
      </Section>
    </>
  )
}

const BUILD = `
npm ci
npx hydrant build
npm prune --omit=dev
`

const START = `
PORT=8080 LOG_LEVEL=info npx hydrant start
`

const NGINX = `
server {
  listen 443 ssl;
  server_name shop.example;

  location / {
    proxy_pass http://127.0.0.1:3000;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Forwarded-Host $http_host;
    proxy_set_header X-Forwarded-Proto $scheme;
  }
}

# and start Hydrant with: HYDRANT_TRUST_PROXY=loopback
`

const BASE = `
npx hydrant start --base /shop   # /products/7 is now /shop/products/7
`

const SYSTEMD = `
[Service]
WorkingDirectory=/srv/my-site
Environment=PORT=3000 HYDRANT_TRUST_PROXY=loopback
ExecStart=/usr/bin/npx hydrant start
Restart=always
`
