import { href } from 'hydrant/react'
import { Code } from '../../components/code.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Section } from '../../components/section.tsx'
import { Table } from '../../components/table.tsx'
import { DOCKERFILE, KUBERNETES, SYSTEMD } from '../../content/deployments.ts'

export default function Deploy() {
  return (
    <>
      <PageHead
        title="Deploying"
        description="Build once, start anywhere: environment, proxies, base, signals, workers, systemd, containers."
      />
      <h1>Deploying</h1>
      <p className="lead">
        A built site is a folder and a command. It needs Node.js 20.19, 22.12, 24 or newer, and a proxy that speaks
        HTTPS in front of it.
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
      <Section id="set" title="What to set">
        <Table
          caption="What an operator sets"
          head={['variable', 'says']}
          rows={[
            [<code key="host">HOST, PORT</code>, 'where it listens: 127.0.0.1:3000; in a container HOST=0.0.0.0'],
            [
              <code key="trust">HYDRANT_TRUST_PROXY</code>,
              'the addresses of your proxies, whose word on the visitor counts',
            ],
            [<code key="hosts">HYDRANT_HOSTS</code>, 'the site’s own host names; others are answered 421'],
            [
              <code key="ledger">HYDRANT_LEDGER</code>,
              'where failures are kept: a file outside of the site’s folder, or postgres://… for several machines',
            ],
            [<code key="release">HYDRANT_RELEASE</code>, 'what is running, as failures name it: a version, a commit'],
            [<code key="token">HYDRANT_ADMIN_TOKEN</code>, 'for a console that other machines may reach'],
            [
              <code key="times">HYDRANT_TIMEOUTS_…</code>,
              'deadlines, and the time for stopping: see below, and all options',
            ],
          ]}
        />
        <p>
          The site’s folder may be read-only: a server writes the ledger, and files of forms to the system’s temporary
          folder. Where the ledger cannot be written, the site runs all the same, and one warning says so. All of it:{' '}
          <a href={href('/docs/options')}>commands and options</a>.
        </p>
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
          On <code>SIGTERM</code> and <code>SIGINT</code> each answer says <code>Connection: close</code>, the listening
          socket closes within a second however busy the server is, and requests in flight are finished for at most{' '}
          <code>timeouts.drainMs</code>. Then Fastify is closed with its plugins, and the process ends with 0. A second
          signal ends it at once. A <code>preClose</code> hook in <code>server.ts</code> ends streams of events, which
          would take all of that time.
        </p>
        <p>
          An app of your own does the same with <code>const drain = addDraining(app)</code> before it listens, and{' '}
          <code>await drain()</code> before <code>app.close()</code>; both names come from <code>hydrant</code>.
        </p>
        <p>
          <code>/_hydrant/live</code> says that the process answers, <code>/_hydrant/ready</code> that it is to be sent
          requests: 503 once it has been told to stop. Give <code>timeouts.stopDelayMs</code> the time that your load
          balancer takes to notice; until then the server answers as before.
        </p>
        <p>
          Whoever kills a server that does not stop waits longer than both together and three seconds. It ends with 0
          when all was finished, with 1 when not, and with 2 when an option is wrong, which another try does not mend.
        </p>
        <p>
          <code>--workers auto</code> serves with as many processes as the machine can run at once. One that dies or
          hangs is replaced. After a new build, <code>kill -HUP</code> to the process that was started exchanges them
          one by one, and no request is lost; a build that cannot start leaves the old ones at work, and a digest in the
          log leads to what keeps it from starting.
        </p>
      </Section>
      <Section id="systemd" title="With systemd">
        <Code title="/etc/systemd/system/my-site.service" language="nginx">
          {SYSTEMD}
        </Code>
        <p>
          Start the command itself: <code>npx</code> would keep the signal. <code>docs/deploy/</code> in the package has
          this unit in whole, hardened, and so it has the next two.
        </p>
      </Section>
      <Section id="containers" title="In a container">
        <Code title="Dockerfile" language="sh">
          {DOCKERFILE}
        </Code>
        <p>
          As process 1 the server takes <code>SIGTERM</code> itself, and leaves no process behind that an init would
          have to wait for. It runs with a read-only root and a <code>/tmp</code> in memory. <code>docker stop</code>{' '}
          kills after 10 seconds unless you say more.
        </p>
      </Section>
      <Section id="kubernetes" title="On Kubernetes">
        <Code title="deployment.yaml" language="text">
          {KUBERNETES}
        </Code>
        <p>
          <code>stopDelayMs</code> does what a <code>preStop</code> hook would: requests still come while the endpoints
          are taken away. Replicas share nothing but the ledger in PostgreSQL.{' '}
          <code>kubectl port-forward deploy/my-site 9320</code> leads to the <a href={href('/docs/console')}>console</a>
          .
        </p>
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
