import { href, type PageProps } from 'hydrant/react'
import { FailingPage } from '../components/failing-page.tsx'
import { Headlines } from '../components/headlines.tsx'
import { NotThere } from '../components/not-there.tsx'
import { PageHead } from '../components/page-head.tsx'
import { Reasons } from '../components/reasons.tsx'
import classes from './index.module.css'

export default function Home({ data }: PageProps<'/'>) {
  return (
    <>
      <PageHead
        title="Hydrant"
        description="Hydrant serves server-rendered React pages from Fastify: streamed, hydrated, and traceable when something fails."
      />
      <Hero />
      <FailingPage {...data} />
      {data.ratios && <Headlines ratios={data.ratios} />}
      <Reasons ratios={data.ratios} />
      <WhatItDoes />
      <NotThere />
      <Next />
    </>
  )
}

function Hero() {
  return (
    <>
      <h1 className={classes.title}>React pages, rendered and streamed by Fastify</h1>
      <p className="lead">
        Hydrant is an npm package. You write a folder of React components, and Hydrant serves it as a website. When a
        page fails, the visitor reads one plain sentence with a code. That code leads you to the line of source that
        failed.
      </p>
      <p>
        It is for teams that run Node.js servers themselves and want to know why a page failed: with a new site, or with
        pages in the Fastify app that they have.
      </p>
      <div className="button-row">
        <a className="button" href={href('/start')}>
          Start a site
        </a>
        <a className="button button-quiet" href="#fail">
          Watch a page fail
        </a>
      </div>
    </>
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
      </ol>
    </section>
  )
}

function Next() {
  return (
    <section aria-labelledby="next">
      <h2 id="next">Where to go from here</h2>
      <ul className={classes.next}>
        <li>
          <a href={href('/start')}>Get started</a> A first page, then a build, in a few minutes.
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
