import { Code } from '../components/code.tsx'
import { PageHead } from '../components/page-head.tsx'
import { Section } from '../components/section.tsx'
import { hrefOfDocument } from '../content/document-href.ts'
import classes from './start.module.css'

export const prerender = true

export default function Start() {
  return (
    <div className={classes.start}>
      <PageHead
        title="Get started"
        description="From an empty folder to a running site, in an existing app, or behind nginx."
      />
      <h1>Get started</h1>
      <p className="lead">
        From an empty folder to a running site. You need Node.js 20 (from 20.19), 22 (from 22.12), or 24 and later, and
        some experience with React.
      </p>
      <Section id="site" title="A new site">
        <Code title="Terminal" language="sh">
          {CREATE}
        </Code>
        <p>
          Open <code>http://localhost:3000</code>. When you change a file, the page updates. The new site has a layout,
          pages with data, a form, tests, types and a <code>Dockerfile</code>. With <code>--template tailwind</code>, it
          also has <a href={`${hrefOfDocument('stylesheets')}#tailwind-css`}>Tailwind CSS</a>.
        </p>
        <p>
          A file in <code>pages/</code> is a page:
        </p>
        <Code title="pages/hello.tsx">{PAGE}</Code>
        <p>Its server code goes into a second file next to the first:</p>
        <Code title="pages/hello.server.ts">{LOAD}</Code>
        <Code title="pages/hello.tsx">{PAGE_WITH_DATA}</Code>
        <p>
          <a href={hrefOfDocument('guide/first-page')}>Pages and layouts</a> and{' '}
          <a href={hrefOfDocument('guide/loads')}>Loading data</a> describe both files.{' '}
          <a href={hrefOfDocument('guide/forms')}>Forms</a> describes how to handle what visitors send, and{' '}
          <a href={hrefOfDocument('navigation')}>Navigation</a> describes how visitors get from page to page.
        </p>
      </Section>
      <Section id="by-hand" title="By hand">
        <p>
          A site needs only a <code>package.json</code> with <code>"type": "module"</code>, four packages, and a folder{' '}
          <code>pages</code> with one page:
        </p>
        <Code title="Terminal" language="sh">
          {BY_HAND}
        </Code>
      </Section>
      <Section id="production" title="Build and start">
        <p>
          For production, build the site once, and start the build. <code>start</code> listens on 127.0.0.1, port 3000.
        </p>
        <Code title="Terminal" language="sh">
          {BUILD}
        </Code>
      </Section>
      <Section id="existing" title="In an existing Fastify app">
        <p>
          Hydrant is also a Fastify plugin. <code>npx hydrant create my-app --template plugin</code> creates an example.
          Put <code>pages/</code> into a folder of your app, build that folder, and register the plugin. Your routes,
          hooks and plugins keep working.
        </p>
        <Code title="app.ts">{PLUGIN}</Code>
        <p>
          The chapter <a href={hrefOfDocument('app')}>Fastify</a> describes <code>server.ts</code>,{' '}
          <code>createServer</code>, and tests without a port.
        </p>
      </Section>
      <Section id="nginx" title="Behind nginx">
        <p>
          A proxy provides HTTPS and passes requests on to Hydrant. Configure it to forward the public host name, and
          configure Hydrant to trust it:
        </p>
        <Code title="nginx" language="nginx">
          {NGINX}
        </Code>
        <Code title="Terminal" language="sh">
          HYDRANT_TRUST_PROXY=loopback npx hydrant start
        </Code>
        <p>
          <a href={hrefOfDocument('deploy')}>Deploying</a> has more details, including shutdown and sites below a path.
        </p>
      </Section>
    </div>
  )
}

const CREATE = `
npx hydrant create my-site
cd my-site
npm install
npm run dev
`

const BY_HAND = `
npm install hydrant fastify react react-dom
mkdir pages
npx hydrant dev
`

const PAGE = `
export default function Hello() {
  return <h1>Hello</h1>
}
`

const LOAD = `
export function load() {
  return { now: new Date() }
}
`

const PAGE_WITH_DATA = `
import type { PageProps } from 'hydrant/react'

export default function Hello({ data }: PageProps<'/hello'>) {
  return <h1>Hello, it is {data.now.toISOString()}</h1>
}
`

const BUILD = `
npx hydrant build
npx hydrant start
`

const PLUGIN = `
import Fastify from 'fastify'
import hydrant from 'hydrant'

const app = Fastify({ logger: true })
await app.register(hydrant, { dir: './my-site' })
await app.listen({ port: 3000 })
`

const NGINX = `
location / {
  proxy_pass http://127.0.0.1:3000;
  proxy_http_version 1.1;
  proxy_set_header Host $http_host;
  proxy_set_header X-Forwarded-For $remote_addr;
  proxy_set_header X-Forwarded-Host $http_host;
  proxy_set_header X-Forwarded-Proto $scheme;
}
`
