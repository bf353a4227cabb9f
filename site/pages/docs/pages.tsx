import { href } from 'hydrant/react'
import { Code } from '../../components/code.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Section } from '../../components/section.tsx'
import { Table } from '../../components/table.tsx'

export default function Pages() {
  return (
    <>
      <PageHead title="Pages and layouts" description="How files in pages/ become URLs, and what surrounds a page." />
      <h1>Pages and layouts</h1>
      <p className="lead">
        The files in <code>pages/</code> are the site’s URLs. There is no table of routes to keep.
      </p>
      <Section id="files" title="From file to URL">
        <Table
          caption="Files in pages/ and the URLs that they answer"
          head={['file', 'answers']}
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
          A fixed name wins over a parameter, and a parameter over a catch-all. Parameters come decoded. Every{' '}
          <code>.tsx</code> or <code>.jsx</code> file in <code>pages/</code> is a page, except for <code>layout</code>,{' '}
          <code>error</code>, <code>not-found</code> and those whose name, or folder’s name, begins with <code>_</code>.
          Components may stand in such a folder or anywhere outside of <code>pages/</code>.
        </p>
      </Section>
      <Section id="page" title="A page">
        <p>A page’s default export is a React component. Its props are these:</p>
        <Table
          caption="Props of a page"
          head={['prop', 'is']}
          rows={[
            [
              <code key="prop">data</code>,
              <>
                what the page’s <code>load</code> returned; <code>undefined</code> without one
              </>,
            ],
            [
              <code key="prop">actionData</code>,
              <>
                what the page’s <a href={href('/docs/forms')}>action</a> returned, when the page answers a form
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
          <code>{'<title>'}</code>, <code>{'<meta>'}</code> and <code>{'<link>'}</code> may be written in any component:
          React 19 moves them into the head.
        </p>
      </Section>
      <Section id="layouts" title="Layouts">
        <p>
          <code>layout.tsx</code> surrounds every page of its folder and of the folders below. Layouts nest; the one in{' '}
          <code>pages/</code> itself renders <code>{'<html>'}</code>, <code>{'<head>'}</code> and{' '}
          <code>{'<body>'}</code>. A site without it gets a plain one. A layout’s props are those of a page and{' '}
          <code>children</code>; <code>data</code> is what the layout’s own <code>load</code> returned.
        </p>
        <Code title="pages/layout.tsx">{LAYOUT}</Code>
      </Section>
      <Section id="not-found" title="The page for what does not exist">
        <p>
          <code>not-found.tsx</code> is shown, with the status 404, for an unknown URL and when a <code>load</code>{' '}
          calls <code>notFound()</code>. The nearest one above the page wins, and it stands inside the layouts of its
          folder. Its one prop is <code>url</code>.
        </p>
      </Section>
      <Section id="error" title="A failure page of your own">
        <p>
          <code>error.tsx</code> takes the page’s place when something fails; the nearest one wins. Without it there is
          a plain fallback. See <a href={href('/docs/failures', {}, { hash: 'error-page' })}>Failures</a>.
        </p>
      </Section>
      <Section id="sides" title="What runs where">
        <p>
          Page and layout files run on both sides: on the server to make the HTML, in the browser to hydrate it. What
          only the server may run stands in files named <code>*.server.ts</code> or <code>*.server.tsx</code>. They, and
          what only they import, never reach the browser. The file name is all there is to it.
        </p>
        <Table
          caption="Which file runs on which side"
          head={['file', 'server', 'browser']}
          rows={[
            [
              <>
                <code>pages/about.tsx</code> and what it imports
              </>,
              'renders',
              'hydrates',
            ],
            [
              <>
                <code>pages/about.server.ts</code> and what it imports
              </>,
              'runs',
              'never',
            ],
            [<code key="file">server.ts</code>, 'runs once, at the start', 'never'],
          ]}
        />
        <p>
          A page that imports a <code>.server</code> file is a build error which names the chain of imports. The
          exception is <code>import type</code>, which leaves nothing behind; that is how a page learns the type of its
          data.
        </p>
      </Section>
      <Section id="links" title="Links">
        <p>
          A link is a plain <code>&lt;a&gt;</code>. <code>href</code> writes its URL from the page’s file, with the
          parameters encoded and the base before it. It works in components, in event handlers, at the top of a module
          and in loads.
        </p>
        <Code title="pages/index.tsx">{LINK}</Code>
        <p>
          <code>hydrant build</code> and <code>hydrant dev</code> write the site’s pages into{' '}
          <code>hydrant-env.d.ts</code>: a page that is not there, or a parameter that is missing, is an error of the
          compiler. What is no page, a file of <code>public/</code> or a route of <code>server.ts</code>, is declared
          beside it:
        </p>
        <Code title="links.d.ts">{LINKS}</Code>
        <p>
          What becomes of a click is in <a href={href('/docs/navigation')}>Navigation</a>.
        </p>
      </Section>
    </>
  )
}

const LINK = `
import { href } from 'hydrant/react'

<a href={href('/products/[id]', { id: 7 })}>Number 7</a>
<a href={href('/search', {}, { search: { q: 'tea' }, hash: 'results' })}>Tea</a>
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
import type { load } from './[id].server.ts'

export default function Product({ data, params }: PageProps<typeof load, undefined, '/products/[id]'>) {
  return (
    <>
      <title>{data.name}</title>
      <h1>{data.name}</h1>
      <p>Number {params.id}</p>
    </>
  )
}
`

const LAYOUT = `
import { href, type LayoutProps } from 'hydrant/react'
import './layout.css'

export default function RootLayout({ children }: LayoutProps) {
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
