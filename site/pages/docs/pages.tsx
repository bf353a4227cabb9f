import { href } from 'hydrant/react'
import { Code } from '../../components/code.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Section } from '../../components/section.tsx'
import { Table } from '../../components/table.tsx'

export default function Pages() {
  return (
    <>
      <PageHead title="Pages and layouts" description="How files in pages/ become URLs, and how layouts wrap pages." />
      <h1>Pages and layouts</h1>
      <p className="lead">
        The files in <code>pages/</code> define the site’s URLs. There is no separate table of routes.
      </p>
      <Section id="files" title="From file to URL">
        <Table
          caption="Files in pages/ and their URLs"
          head={['file', 'URL']}
          rows={[
            [<code key="file">pages/index.tsx</code>, <code key="url">/</code>],
            [<code key="file">pages/about.tsx</code>, <code key="url">/about</code>],
            [<code key="file">pages/products/index.tsx</code>, <code key="url">/products</code>],
            [
              <code key="file">pages/products/[id].tsx</code>,
              <>
                <code>/products/7</code>, with <code>params.id</code>
              </>,
            ],
            [
              <code key="file">pages/files/[...path].tsx</code>,
              <>
                <code>/files/a/b/c</code>, with <code>params.path</code>
              </>,
            ],
            [
              <code key="file">pages/(shop)/cart.tsx</code>,
              <>
                <code>/cart</code>: a folder in parentheses groups files and adds nothing to the URL
              </>,
            ],
          ]}
        />
        <p>
          A fixed name wins over a parameter, and a parameter wins over a catch-all. Parameters are decoded. Every{' '}
          <code>.tsx</code> or <code>.jsx</code> file in <code>pages/</code> is a page, except <code>layout</code>,{' '}
          <code>error</code>, <code>not-found</code>, and files and folders whose names begin with <code>_</code>. Put
          components into such a folder, or anywhere outside <code>pages/</code>. With an esbuild plugin that compiles
          MDX, pages can also be <code>.mdx</code> files.
        </p>
      </Section>
      <Section id="page" title="A page">
        <p>A page’s default export is a React component. It receives these props:</p>
        <Table
          caption="Props of a page"
          head={['prop', 'meaning']}
          rows={[
            [
              <code key="prop">data</code>,
              <>
                the data that the page’s <code>load</code> returned; <code>undefined</code> if it has none
              </>,
            ],
            [
              <code key="prop">actionData</code>,
              <>
                the data that the page’s <a href={href('/docs/forms')}>action</a> returned, after a form was sent
              </>,
            ],
            [<code key="prop">params</code>, 'the decoded parameters of the path'],
            [
              <code key="prop">url</code>,
              <>
                the page’s address, a <code>URL</code>
              </>,
            ],
          ]}
        />
        <Code title="pages/products/[id].tsx">{PAGE}</Code>
        <p>
          You can render <code>{'<title>'}</code>, <code>{'<meta>'}</code> and <code>{'<link>'}</code> in any component.
          React 19 moves them into the head.
        </p>
      </Section>
      <Section id="types" title="Types">
        <p>
          The route is the only type argument of <code>PageProps</code>, <code>LoadContext</code> and{' '}
          <code>ActionContext</code>. <code>data</code> has the type that the page’s own <code>load</code> returns, and{' '}
          <code>actionData</code> the type that its <code>action</code> returns. <code>LayoutProps</code> and{' '}
          <code>LayoutLoadContext</code> take the path of the layout’s folder, with its groups:{' '}
          <code>LayoutProps&lt;'/(shop)/products'&gt;</code>.
        </p>
        <p>
          <code>hydrant types</code> writes the routes into <code>hydrant-env.d.ts</code>; <code>hydrant dev</code> and{' '}
          <code>hydrant build</code> write it too. The compiler then reports a route that does not exist. This is the{' '}
          <code>tsconfig.json</code> of a site:
        </p>
        <Code title="tsconfig.json">{TSCONFIG}</Code>
        <Code title="Terminal" language="sh">
          {CHECK}
        </Code>
      </Section>
      <Section id="layouts" title="Layouts">
        <p>
          <code>layout.tsx</code> wraps every page of its folder and of the folders below. Layouts nest. The layout in{' '}
          <code>pages/</code> itself renders <code>{'<html>'}</code>, <code>{'<head>'}</code> and{' '}
          <code>{'<body>'}</code>. A site without this layout gets a plain document. A layout receives the same props as
          a page, and <code>children</code>. Its <code>data</code> is what the layout’s own <code>load</code> returned.
        </p>
        <Code title="pages/layout.tsx">{LAYOUT}</Code>
      </Section>
      <Section id="not-found" title="The 404 page">
        <p>
          Hydrant shows <code>not-found.tsx</code>, with the status 404, for an unknown URL and when a <code>load</code>{' '}
          calls <code>notFound()</code>. It uses the nearest such file in the folder of the page or above, and renders
          it inside the layouts of that folder. Its only prop is <code>url</code>.
        </p>
      </Section>
      <Section id="error" title="Your own error page">
        <p>
          Hydrant shows <code>error.tsx</code> in place of a page that failed. It uses the nearest such file. Without
          one, it shows a plain fallback. See <a href={href('/docs/failures', {}, { hash: 'error-page' })}>Failures</a>.
        </p>
      </Section>
      <Section id="sides" title="What runs where">
        <p>
          Page and layout files run on both sides: on the server to render the HTML, and in the browser to hydrate it.
          Code that only the server may run goes into files named <code>*.server.ts</code> or <code>*.server.tsx</code>.
          These files, and modules that only they import, never reach the browser. Only the file name decides this.
        </p>
        <Table
          caption="Which file runs on which side"
          head={['file', 'server', 'browser']}
          rows={[
            [
              <>
                <code>pages/about.tsx</code> and its imports
              </>,
              'renders',
              'hydrates',
            ],
            [
              <>
                <code>pages/about.server.ts</code> and its imports
              </>,
              'runs',
              'never',
            ],
            [<code key="file">server.ts</code>, 'runs once, at startup', 'never'],
          ]}
        />
        <p>
          If a page imports a <code>.server</code> file, the build fails with an error that shows the chain of imports.
          The exception is <code>import type</code>, which leaves no import in the built code.
        </p>
        <p>
          A component that calls React’s <code>use(browser())</code> is rendered in the browser only. The server sends
          the fallback of the <code>{'<Suspense>'}</code> around it, which visitors without JavaScript read.
        </p>
      </Section>
      <Section id="links" title="Links">
        <p>
          A link is a plain <code>&lt;a&gt;</code>. <code>href</code> builds its URL from the page’s path, encodes the
          parameters, and prepends the base. It works in components, in event handlers, at the top level of a module and
          in loads.
        </p>
        <Code title="pages/index.tsx">{LINK}</Code>
        <p>
          The compiler reports a page that does not exist, or a missing parameter. Declare other URLs, such as a file of{' '}
          <code>public/</code> or a route of <code>server.ts</code>, in a file next to <code>hydrant-env.d.ts</code>:
        </p>
        <Code title="links.d.ts">{LINKS}</Code>
        <p>
          <a href={href('/docs/navigation')}>Navigation</a> describes what happens when a visitor follows a link.
        </p>
      </Section>
    </>
  )
}

const LINK = `
import { href } from 'hydrant/react'

export default function Home() {
  return (
    <>
      <a href={href('/products/[id]', { id: 7 })}>Number 7</a>
      <a href={href('/search', {}, { search: { q: 'tea' }, hash: 'results' })}>Tea</a>
    </>
  )
}
`

const LINKS = `
export {}

declare module 'hydrant/react' {
  interface Routes {
    '/robots.txt': unknown
    '/api/orders/[id]': unknown
  }
}
`

const PAGE = `
import type { PageProps } from 'hydrant/react'

export default function Product({ data, params }: PageProps<'/products/[id]'>) {
  return (
    <>
      <title>{data.name}</title>
      <h1>{data.name}</h1>
      <p>Number {params.id}</p>
    </>
  )
}
`

const TSCONFIG = `
{ "extends": "hydrant/tsconfig.json" }
`

const CHECK = `
npx hydrant types && npx tsc
`

const LAYOUT = `
import { href, type LayoutProps } from 'hydrant/react'
import './layout.css'

export default function RootLayout({ children }: LayoutProps<'/'>) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
      </head>
      <body>
        <header><a href={href('/')}>My site</a></header>
        <main>{children}</main>
      </body>
    </html>
  )
}
`
