import type { ReactNode } from 'react'
import { hrefOfDocument } from '../content/document-href.ts'
import type { Ratios } from '../documentation/ratios.ts'
import classes from './reasons.module.css'
import { showGain } from './show-ratio.ts'

interface Reason {
  name: string
  gain: ReactNode
  loss: string
  /** The document for those who come from there; null if there is none. */
  path: string | null
}

const REASONS: readonly Reason[] = [
  {
    name: 'Next.js',
    gain: 'One kind of component, and one function that loads the data of a page. A page is cached only if it says so, and a response that read the visitor is never stored. No functions that a browser calls by id. One build serves every environment.',
    loss: 'Server Components, font optimization, edge hosting, the ecosystem.',
    path: 'coming-from/next',
  },
  {
    name: 'React Router',
    gain: 'The server is the only router, so the browser gets no table of routes. Links and forms are plain HTML, and access is decided by guards that run for every kind of request.',
    loss: 'SPA mode, data functions in the browser, other runtimes than Node.js, Vite.',
    path: 'coming-from/react-router',
  },
  {
    name: 'TanStack Start',
    gain: 'Forms that work without JavaScript, with files, schemas and protection against forms of other sites. The name of a file is the route, and nothing else describes it.',
    loss: 'A router in the browser with its cache, other runtimes than Node.js, Vite.',
    path: null,
  },
  {
    name: 'Vike',
    gain: 'A page also answers with its data as JSON, and forms work without JavaScript, with files and schemas. Routes are typed without a plugin for the editor.',
    loss: 'Routes in code, other frameworks than React, Vite with its plugins.',
    path: 'coming-from/vike',
  },
  {
    name: '@fastify/react',
    gain: 'Streams, forms, guards, types of routes and Fast Refresh without Vite, in the same Fastify app. You move page by page.',
    loss: 'Vite with its plugins, the router in the browser, pages without JavaScript.',
    path: 'coming-from/fastify-react',
  },
]

/** Why somebody would leave the framework that they have, with the measured ratios if there are some. */
export function Reasons({ ratios }: { ratios: Ratios | null }) {
  return (
    <section aria-labelledby="why">
      <h2 id="why">Why leave what you have</h2>
      <p>
        In every framework a page can fail. In Hydrant, a code leads to the line: for loads, forms, components, streams,
        hangs and failures in browsers. Beyond that:
      </p>
      <ul className={classes.reasons}>
        {REASONS.map(({ name, gain, loss, path }) => (
          <li key={name}>
            <h3>{name}</h3>
            {ratios && <Gains ratios={ratios} name={name} />}
            <p>{gain}</p>
            <p>
              <strong>You lose</strong> {loss}
            </p>
            {path !== null && <a href={hrefOfDocument(path)}>Coming from {name}</a>}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The recorded figures with which one framework compares, if Hydrant is ahead. */
function Gains({ ratios, name }: { ratios: Ratios; name: string }) {
  const requests = showGain(ratios, 'Requests per second, 100 rows', name)
  const scripts = showGain(ratios, 'Scripts of a small page, gzip', name)
  return (
    <p className={classes.gains}>
      {requests && (
        <span>
          <strong>{requests}</strong> the requests per second
        </span>
      )}
      {scripts && (
        <span>
          Scripts <strong>{scripts}</strong> as small
        </span>
      )}
    </p>
  )
}
