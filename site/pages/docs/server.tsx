import { href } from 'hydrant/react'
import { Code } from '../../components/code.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Section } from '../../components/section.tsx'

export default function Server() {
  return (
    <>
      <PageHead title="Fastify" description="server.ts, the plugin for an existing app, createServer, and tests." />
      <h1>Fastify</h1>
      <p className="lead">
        Every page is a Fastify route. Fastify’s plugins (sessions, rate limits, databases) therefore also work for
        pages.
      </p>
      <Section id="server-ts" title="server.ts">
        <p>
          <code>server.ts</code> in the site’s folder is an ordinary Fastify plugin. Hydrant registers it before the
          pages. Use it to add routes, hooks, decorators and other plugins.
        </p>
        <Code title="server.ts">{SERVER}</Code>
        <p>
          A <code>load</code> can use all of them through <code>app</code>, <code>request</code> and <code>reply</code>.
          An error in one of these routes is handled like an error in a page: the same sentence, a digest, and a log
          line.
        </p>
      </Section>
      <Section id="plugin" title="In an existing Fastify app">
        <p>
          Hydrant’s default export is a Fastify plugin. Build the site with <code>npx hydrant build my-site</code>, then
          register the plugin. The app’s other routes, hooks and plugins keep working.
        </p>
        <Code title="app.ts">{PLUGIN}</Code>
        <p>
          The plugin accepts the same <a href={href('/docs/options', {}, { hash: 'options' })}>options</a> as{' '}
          <code>hydrant.config.ts</code>, and overrides that file. Environment variables override both. Your app decides
          what concerns the whole server, such as its port, its logger and <code>trustProxy</code>. Run the app and its
          tests with <code>NODE_ENV=production</code>. Hydrant does not serve a production build with React’s
          development build, because that one sends the messages and stacks of errors to visitors.
        </p>
        <p>
          Hydrant’s navigations request pages only, and never a route of the app. The app’s hooks run once for each
          navigation. To normalise each path before hooks see it, import <code>rewriteUrl</code> from{' '}
          <code>hydrant</code> and create the app with <code>{'Fastify({ rewriteUrl })'}</code>. Hooks can then compare{' '}
          <code>request.url</code>.
        </p>
      </Section>
      <Section id="operating" title="Operating an app of your own">
        <p>
          <code>hydrant.admin</code> mounts the <a href={href('/docs/console')}>console</a>, its API and the metrics
          below a prefix of the app. Operators sign in with <code>HYDRANT_ADMIN_TOKEN</code>. With{' '}
          <code>auth: 'app'</code>, hooks of the app control access instead. If no hook guards the console, Hydrant
          locks it.
        </p>
        <Code title="app.ts">{ADMIN}</Code>
        <p>
          <code>onError</code> hooks also run for failures of pages: in loads, actions, components and streams, once for
          each request. <code>digestOf</code> returns the digest that the log and the visitor have.
        </p>
        <p>
          Hooks of the app recognise Hydrant’s routes by <code>request.routeOptions.config.hydrant</code>. A rate limit
          of the whole app, with <code>@fastify/rate-limit</code>, counts pages, but not health probes, assets and
          browser reports. With <code>timeouts.hangMs</code>, which is off by default in an app, Hydrant interrupts code
          that blocks the process, and reports it like any other failure.
        </p>
      </Section>
      <Section id="create-server" title="createServer">
        <p>
          <code>createServer</code> creates the complete instance: Fastify, its logger, <code>server.ts</code> and the
          pages. It does not listen by itself. In addition to the options, it accepts <code>logger</code> or{' '}
          <code>loggerInstance</code>, as Fastify does.
        </p>
        <Code title="main.ts">{CREATE}</Code>
      </Section>
      <Section id="tests" title="Tests">
        <p>
          Fastify’s <code>inject</code> sends requests to the instance without a port. To check a page’s data without
          parsing HTML, request it as JSON.
        </p>
        <Code title="test/products.test.ts">{TEST}</Code>
      </Section>
    </>
  )
}

const SERVER = `
import cookie from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import { openShop, type Shop } from './shop/database.ts'

declare module 'fastify' {
  interface FastifyInstance {
    shop: Shop
  }
}

export default async function server(app: FastifyInstance) {
  await app.register(cookie)
  app.decorate('shop', await openShop(process.env.DATABASE_URL))
  app.get('/api/stock/:id', async (request) => app.shop.stock(request.params))
}
`

const PLUGIN = `
import Fastify from 'fastify'
import hydrant from 'hydrant'

const app = Fastify({ logger: true })
app.get('/api/health', async () => ({ ok: true }))
await app.register(hydrant, { dir: './my-site' })
await app.listen({ port: 3000 })
`

const ADMIN = `
import Fastify from 'fastify'
import hydrant, { digestOf } from 'hydrant'
import { authenticateOperator } from './operators.ts'
import { tracker } from './tracker.ts'

const app = Fastify({ logger: true })
app.addHook('onError', async (request, _reply, error) => {
  tracker.capture(error, { digest: digestOf(request, error) })
})
await app.register(hydrant, { dir: './my-site' })
await app.register(async (ops) => {
  ops.addHook('onRequest', authenticateOperator)
  await ops.register(hydrant.admin, { prefix: '/ops', auth: 'app' })
})
`

const CREATE = `
import { createServer } from 'hydrant'

const app = await createServer({ dir: './my-site' })
await app.listen({ port: 3000, host: '127.0.0.1' })
`

const TEST = `
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer } from 'hydrant'

test('a product that does not exist is a 404', async (t) => {
  const app = await createServer({ dir: './my-site' })
  t.after(() => app.close())

  const answer = await app.inject({ url: '/products/none', headers: { accept: 'application/json' } })

  assert.equal(answer.statusCode, 404)
  assert.equal(answer.json().instance, '/products/none')
})
`
