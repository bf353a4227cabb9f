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
        A built site is a folder and a command. It needs Node.js 20.19, 22.12, 24 or newer, and a proxy in front of it
        that provides HTTPS.
      </p>
      <Section id="build" title="Build once">
        <Code title="Terminal" language="sh">
          {BUILD}
        </Code>
        <p>
          <code>.hydrant/</code> contains the server’s bundle, the browser’s files with hashed names and compressed
          copies, and source maps. The maps are used for the log and are never served. To start, the site needs{' '}
          <code>.hydrant/</code>, <code>package.json</code> and the installed production dependencies.
        </p>
        <p>
          A build into an existing folder keeps the browser’s files of the previous build, for pages that are still
          open. If you build in an empty folder each time, first copy the last <code>.hydrant/</code> there.
        </p>
        <p>The same build runs in every environment, because all options except esbuild are read at startup.</p>
        <Code title="Terminal" language="sh">
          {START}
        </Code>
      </Section>
      <Section id="set" title="What to set">
        <Table
          caption="Variables for operators"
          head={['variable', 'meaning']}
          rows={[
            [
              <code key="host">HOST, PORT</code>,
              'the address to listen on: 127.0.0.1:3000; in a container HOST=0.0.0.0',
            ],
            [
              <code key="trust">HYDRANT_TRUST_PROXY</code>,
              'the addresses of your proxies; Hydrant believes their forwarded headers',
            ],
            [<code key="hosts">HYDRANT_HOSTS</code>, 'the site’s own host names; requests for others get 421'],
            [
              <code key="ledger">HYDRANT_LEDGER</code>,
              'where failures are stored: a file outside the site’s folder, or postgres://… for several machines',
            ],
            [
              <code key="release">HYDRANT_RELEASE</code>,
              'the name of the running version in failures: a version, a commit',
            ],
            [<code key="token">HYDRANT_ADMIN_TOKEN</code>, 'the token for a console that other machines can reach'],
            [
              <code key="times">HYDRANT_TIMEOUTS_…</code>,
              'deadlines, and the times for shutdown: see below, and all options',
            ],
          ]}
        />
        <p>
          The site’s folder may be read-only. A server writes only the ledger, and uploaded files to the system’s
          temporary folder. If the ledger cannot be written, the site still runs, and the log has one warning. See also:{' '}
          <a href={href('/docs/options')}>commands and options</a>.
        </p>
      </Section>
      <Section id="proxy" title="Behind a proxy">
        <p>
          By default, Hydrant listens on 127.0.0.1, and a proxy provides HTTPS and HTTP/2. The package’s{' '}
          <code>docs/proxies/</code> has a configuration for each of nginx, HAProxy, Caddy and Apache. Hydrant’s tests
          run them with streams, forms, redirects, several processes, sub-paths and socket files. A short version:
        </p>
        <Code title="nginx" language="nginx">
          {NGINX}
        </Code>
        <p>
          The proxy sends the visitor’s address and host, and <code>trustProxy</code> names the proxy. Without it,
          visitors have the proxy’s address, failures name the wrong host, <code>url</code> begins with{' '}
          <code>http:</code>, and the log has a warning. Trust only your own proxies, because a trusted client can claim
          any host and any address. If your proxy sends the standard <code>Forwarded</code> header instead, set{' '}
          <code>forwardedHeader</code>. <code>hosts</code> lists the hosts that you serve; requests for others get 421.
        </p>
        <p>
          <code>$http_host</code> keeps the port, which <code>$host</code> drops. With plain http on a non-default port,
          a site needs the port to distinguish its own{' '}
          <a href={href('/docs/forms', {}, { hash: 'other-sites' })}>forms</a> from those of other sites. Buffering
          needs no setting: streamed responses have <code>X-Accel-Buffering: no</code>.
        </p>
        <p>
          On the same machine, you can use a socket file instead of a port: <code>--socket /run/my-site/http.sock</code>
          . The proxy’s user must be in its group.
        </p>
      </Section>
      <Section id="base" title="Below a path">
        <p>
          With a base, the site is available only below that path. Its scripts, its styles and the routes of{' '}
          <code>server.ts</code> are moved automatically. Links are moved if{' '}
          <a href={href('/docs/pages', {}, { hash: 'links' })}>href</a> builds them; an address that you write out stays
          as it is.
        </p>
        <Code title="Terminal" language="sh">
          {BASE}
        </Code>
        <p>
          The proxy passes on the whole path, including the base. If your proxy removes the base, also set{' '}
          <code>HYDRANT_PROXY_STRIPS_BASE=true</code>, which restores it.
        </p>
      </Section>
      <Section id="signals" title="Stopping">
        <p>
          After <code>SIGTERM</code> or <code>SIGINT</code>, each response has <code>Connection: close</code>, the
          listening socket closes within a second even if the server is busy, and requests in flight finish, for at most{' '}
          <code>timeouts.drainMs</code>. Then Fastify and its plugins close, and the process exits with 0. A second
          signal ends it at once. Event streams would take all of that time; end them in a <code>preClose</code> hook in{' '}
          <code>server.ts</code>.
        </p>
        <p>
          To do the same in an app of your own, call <code>const drain = addDraining(app)</code> before it listens, and{' '}
          <code>await drain()</code> before <code>app.close()</code>. Import the function from <code>hydrant</code>.
        </p>
        <p>
          <code>/_hydrant/live</code> reports that the process responds. <code>/_hydrant/ready</code> reports that it
          accepts traffic; during shutdown it responds with 503. Set <code>timeouts.stopDelayMs</code> to the time that
          your load balancer takes to notice. Until then, the server handles requests as before.
        </p>
        <p>
          A supervisor must wait longer than both times together plus three seconds before it kills the server. The exit
          code is 0 if all requests finished, 1 if not, and 2 if an option is wrong. A restart does not fix a wrong
          option.
        </p>
        <p>
          <code>--workers auto</code> serves with as many processes as the machine can run in parallel. If one dies or
          hangs, it is replaced. After a new build, send <code>kill -HUP</code> to the process that you started. It
          replaces the workers one by one, and no request is lost. If the new build cannot start, the old workers
          continue, and the log has a digest that leads to the reason.
        </p>
      </Section>
      <Section id="systemd" title="With systemd">
        <Code title="/etc/systemd/system/my-site.service" language="nginx">
          {SYSTEMD}
        </Code>
        <p>
          Start the command itself, because <code>npx</code> does not pass on the signal. <code>docs/deploy/</code> in
          the package has the complete, hardened unit, and complete versions of the next two files.
        </p>
      </Section>
      <Section id="containers" title="In a container">
        <Code title="Dockerfile" language="sh">
          {DOCKERFILE}
        </Code>
        <p>
          As process 1, the server handles <code>SIGTERM</code> itself. It leaves no child processes, so it needs no
          init process. It runs with a read-only root and a <code>/tmp</code> in memory. <code>docker stop</code> kills
          it after 10 seconds by default.
        </p>
      </Section>
      <Section id="kubernetes" title="On Kubernetes">
        <Code title="deployment.yaml" language="text">
          {KUBERNETES}
        </Code>
        <p>
          <code>stopDelayMs</code> replaces a <code>preStop</code> hook: requests still arrive while Kubernetes removes
          the endpoints. Replicas share only the ledger in PostgreSQL.{' '}
          <code>kubectl port-forward deploy/my-site 9320</code> opens the <a href={href('/docs/console')}>console</a>.
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
