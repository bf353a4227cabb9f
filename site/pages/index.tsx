import { href, type PageProps } from 'hydrant/react'
import { Suspense, use } from 'react'
import { Code } from '../components/code.tsx'
import { Counter } from '../components/counter.tsx'
import { PageHead } from '../components/page-head.tsx'
import { Plate } from '../components/plate.tsx'
import { digest, logLine, pageFile, sentence, serverFile } from '../content/samples.ts'
import classes from './index.module.css'
import type { load } from './index.server.ts'

type Data = PageProps<typeof load>['data']

export default function Home({ data }: PageProps<typeof load>) {
  return (
    <>
      <PageHead
        title="Hydrant"
        description="Hydrant serves server-rendered React pages from Fastify: streamed, hydrated, and honest when something fails."
      />
      <Hero />
      <WhatItDoes />
      <TwoFiles />
      <Live data={data} />
      <Failure />
      <Next />
    </>
  )
}

function Hero() {
  return (
    <div className={classes.hero}>
      <div>
        <h1>React pages, rendered and streamed by Fastify</h1>
        <p className="lead">
          Hydrant is an npm package. You give it a folder of React components; it gives you a web server. When a page
          fails, the visitor gets one plain sentence with a code, and that code leads you to the line of source that
          failed.
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
    </div>
  )
}

function WhatItDoes() {
  return (
    <section aria-labelledby="what">
      <h2 id="what">What happens when somebody opens a page</h2>
      <ol className={classes.steps}>
        <li>
          <h3>Load</h3>
          <p>
            The page’s <code>load</code> function runs on the server and fetches what the page needs. So do those of its
            layouts, at the same time.
          </p>
        </li>
        <li>
          <h3>Render and stream</h3>
          <p>
            React turns the components into HTML. What is ready goes out at once; parts that wait for a slow promise
            follow in the same answer.
          </p>
        </li>
        <li>
          <h3>Hydrate</h3>
          <p>
            In the browser, React takes over the HTML that is already there. From then on links and forms change the
            page in place; without JavaScript they load documents, and work as well.
          </p>
        </li>
        <li>
          <h3>Or fail, and say so</h3>
          <p>
            If any of this throws, the status is true, the rest of the page stays, and the visitor’s code is in your
            log.
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
        One is a React component. The other, which ends in <code>.server.ts</code>, is what only the server runs for it;
        it never reaches the browser. A page that needs no data is one file.
      </p>
      <div className={classes.pair}>
        <Code title="pages/products/[id].server.ts">{serverFile}</Code>
        <Code title="pages/products/[id].tsx">{pageFile}</Code>
      </div>
      <p>
        That is <code>/products/7</code> in a browser. For a script that asks for <code>application/json</code>, the
        same address answers with what <code>load</code> returned.
      </p>
    </section>
  )
}

function Live({ data }: { data: Data }) {
  return (
    <section aria-labelledby="live">
      <h2 id="live">This page, just now</h2>
      <div className={classes.live}>
        <div>
          <h3>Hydrated</h3>
          <p>This button was HTML first. Once it counts, React has taken over.</p>
          <Counter />
        </div>
        <div>
          <h3>Streamed</h3>
          <p>
            The page was sent at <time dateTime={data.renderedAt.toISOString()}>{timeOf(data.renderedAt)}</time>. These
            facts are held back by 700 ms and then follow in the same answer.
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
            The database behind <code>/products/7</code> is gone, so <code>load</code> throws. The answer has the status
            500, and the visitor reads this in the page’s place, between the site’s own header and footer:
          </p>
          <blockquote className={classes.sentence}>
            <p>{sentence}</p>
            <p>
              <code>{`Digest: ${digest.fingerprint}-${digest.occurrence}`}</code>
            </p>
          </blockquote>
          <p>
            Nothing else of the error leaves the server: no message, no stack, no path. The log has all of it, in one
            line with the same digest.
          </p>
          <p>
            The first half of a digest is the <strong>fingerprint</strong>. It is the same for the same failure on every
            machine, after every restart and after every build. The second half is the <strong>occurrence</strong>: this
            visitor’s one request. Search the log for the whole, and you have the request; search for the first half,
            and you know how often it happens.
          </p>
        </div>
        <Code title="The log’s one line, shown over several" language="json">
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
          <a href={href('/docs')}>Documentation</a> Pages, data, forms, navigation, HTTP, failures, deploying.
        </li>
        <li>
          <a href={href('/notes')}>Notes</a> A form, a list and a database to try it all with.
        </li>
        <li>
          <a href={href('/failures')}>Failures to try</a> One page for each place where a page can fail.
        </li>
      </ul>
      <p className={classes.not}>
        What Hydrant is not: there are no React Server Components, no image service and no bundler of its own (it builds
        with esbuild).
      </p>
    </section>
  )
}

// In UTC, because the server and the browser may be in different time zones.
function timeOf(date: Date): string {
  return `${date.toISOString().slice(11, 19)} UTC`
}
