import { hrefOfDocument } from '../content/document-href.ts'

/** What a visitor may look for in vain. */
export function NotThere() {
  return (
    <section aria-labelledby="not-there">
      <h2 id="not-there">What it does not do</h2>
      <ul>
        <li>
          No React Server Components. The code of every component on a page is sent to the browser. No request is ever
          turned into a call of a function by its id.
        </li>
        <li>
          A site whose pages need a server needs Node.js: no edge, no Deno, no Bun. Only a site of prerendered pages can
          be exported.
        </li>
        <li>No image service that resizes images for each request: copies in other sizes are made at build time.</li>
        <li>No router in the browser. Hydrant uses the browser’s Navigation API; older browsers load documents.</li>
        <li>No bundler of its own, and no Vite. It builds with esbuild, so plugins of Vite do not work.</li>
        <li>No other framework than React, and no other server than Fastify.</li>
        <li>
          No years of use. Hydrant is new, and its ecosystem is that of Fastify and React. The{' '}
          <a href={hrefOfDocument('limits')}>limits</a> and the <a href={hrefOfDocument('decisions')}>decisions</a> are
          written down.
        </li>
      </ul>
    </section>
  )
}
