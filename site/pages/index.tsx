import { href, type PageProps } from 'hydrant/react'
import { Suspense, use } from 'react'
import { Code } from '../components/code.tsx'
import { Counter } from '../components/counter.tsx'
import { Headlines } from '../components/headlines.tsx'
import { NotThere } from '../components/not-there.tsx'
import { PageHead } from '../components/page-head.tsx'
import { Plate } from '../components/plate.tsx'
import { Reasons } from '../components/reasons.tsx'
import { digest, logLine, pageFile, sentence, serverFile } from '../content/samples.ts'
import classes from './index.module.css'

type Data = PageProps<'/'>['data']

export default function Home({ data }: PageProps<'/'>) {
  return (
    <>
      <PageHead
        title="Hydrant"
        description="Hydrant serves server-rendered React pages from Fastify: streamed, hydrated, and traceable when something fails."
      />
      <Hero ratios={data.ratios} />
      <Reasons ratios={data.ratios} />
      <NotThere />
      <WhatItDoes />
      <TwoFiles />
      <Live data={data} />
      <Failure />
      <Next />
    </>
  )
}

function Hero({ ratios }: Pick<Data, 'ratios'>) {
  return (
    <div className={classes.hero}>
      <div>
        <h1>React pages, rendered and streamed by Fastify</h1>
        <p className="lead">
          Hydrant is an npm package. You write a folder of React components, and Hydrant serves it as a website. When a
          page fails, the visitor reads one plain sentence with a code. That code leads you to the line of source that
          failed.
        </p>
        <p>
          It is for teams that run Node.js servers themselves and want to know why a page failed: with a new site, or
          with pages in the Fastify app that they have.
        </p>
        <div className="button-row">
          <a className="button" href={href('/start')}>
            Start a site
          </a>
          <a className="button button-quiet" href={href('/failures')}>
            Watch it fail
          </a>
        </div>
      </div>
      <Plate
        status="500"
        fingerprint={digest.fingerprint}
        occurrence={digest.occurrence}
        source="pages/products/[id].server.ts"
      />
      {ratios && <Headlines ratios={ratios} />}
    </div>
  )
}

function WhatItDoes() {
  return (
    <section aria-labelledby="what">
      <h2 id="what">What happens when a visitor opens a page</h2>
      <ol className={classes.steps}>
        <li>
          <h3>Load</h3>
          <p>
            The page’s <code>load</code> function runs on the server and fetches the data that the page needs. The loads
            of its layouts run at the same time.
          </p>
        </li>
        <li>
          <h3>Render and stream</h3>
          <p>
            React renders the components to HTML. Hydrant sends what is ready at once. Parts that wait for a slow
            promise follow in the same response.
          </p>
        </li>
        <li>
          <h3>Hydrate</h3>
          <p>
            In the browser, React takes over the HTML that is already there. From then on, links and forms update the
            page in place. Without JavaScript, they load documents and work as well.
          </p>
        </li>
        <li>
          <h3>Or fail clearly</h3>
          <p>
            If any of this throws, the response has an error status unless the status was already sent. The rest of the
            page stays usable, and your log has the visitor’s code.
          </p>
        </li>
      </ol>
    </section>
  )
}

function TwoFiles() {
  return (
    <section aria-labelledby="two-files">
      <h2 id="two-files">A page is two files</h2>
      <p>
        One file is a React component. The other file, which ends in <code>.server.ts</code>, holds the page’s server
        code and never reaches the browser. A page that needs no data is a single file.
      </p>
      <div className={classes.pair}>
        <Code title="pages/products/[id].server.ts">{serverFile}</Code>
        <Code title="pages/products/[id].tsx">{pageFile}</Code>
      </div>
      <p>
        A browser shows this page at <code>/products/7</code>. A script that requests <code>application/json</code> from
        the same address gets the data that <code>load</code> returned.
      </p>
    </section>
  )
}

function Live({ data }: { data: Data }) {
  return (
    <section aria-labelledby="live">
      <h2 id="live">This page, live</h2>
      <div className={classes.live}>
        <div>
          <h3>Hydrated</h3>
          <p>This button was sent as HTML. When it counts, React has taken over.</p>
          <Counter />
        </div>
        <div>
          <h3>Streamed</h3>
          <p>
            The page was sent at <time dateTime={data.renderedAt.toISOString()}>{timeOf(data.renderedAt)}</time>. The
            facts below are delayed by 700 ms and then follow in the same response.
          </p>
          <Suspense fallback={<p className={classes.waiting}>Waiting for the server…</p>}>
            <Facts facts={data.facts} />
          </Suspense>
        </div>
      </div>
    </section>
  )
}

function Facts({ facts }: { facts: Data['facts'] }) {
  const { hydrant, node, uptimeSeconds, requests } = use(facts)
  return (
    <dl id="facts" className={classes.facts}>
      <div>
        <dt>Hydrant</dt>
        <dd>{hydrant}</dd>
      </div>
      <div>
        <dt>Node.js</dt>
        <dd>{node.replace('v', '')}</dd>
      </div>
      <div>
        <dt>Up for</dt>
        <dd>{`${uptimeSeconds} s`}</dd>
      </div>
      <div>
        <dt>Requests</dt>
        <dd>{requests}</dd>
      </div>
    </dl>
  )
}

function Failure() {
  return (
    <section aria-labelledby="failure">
      <h2 id="failure">When a page fails</h2>
      <div className={classes.failure}>
        <div>
          <p>
            The database behind <code>/products/7</code> is not reachable, so <code>load</code> throws. The response has
            the status 500. In place of the page, between the site’s own header and footer, the visitor reads:
          </p>
          <blockquote className={classes.sentence}>
            <p>{sentence}</p>
            <p>
              <code>{`Digest: ${digest.fingerprint}-${digest.occurrence}`}</code>
            </p>
          </blockquote>
          <p>
            Nothing else about the error leaves the server: no message, no stack, no path. The log has all of it, in one
            line with the same digest.
          </p>
          <p>
            The first half of a digest is the <strong>fingerprint</strong>. It is the same for the same failure on every
            machine, after every restart and after every build. The second half is the <strong>occurrence</strong>: this
            visitor’s single request. Search the log for the complete digest to find the request. Search for the first
            half to see how often the failure happens.
          </p>
        </div>
        <Code title="The log line, wrapped here" language="json">
          {logLine}
        </Code>
      </div>
    </section>
  )
}

function Next() {
  return (
    <section aria-labelledby="next">
      <h2 id="next">Where to go from here</h2>
      <ul className={classes.next}>
        <li>
          <a href={href('/start')}>Start</a> A first page, then a build, in a few minutes.
        </li>
        <li>
          <a href={href('/docs')}>Documentation</a> Guide, examples, reference, and a search over all of it.
        </li>
        <li>
          <a href={href('/notes')}>Notes</a> A form, a list and a database to try it all with.
        </li>
        <li>
          <a href={href('/failures')}>Failures to try</a> One page for each place where a page can fail.
        </li>
      </ul>
    </section>
  )
}

// In UTC, because the server and the browser may be in different time zones.
function timeOf(date: Date): string {
  return `${date.toISOString().slice(11, 19)} UTC`
}
