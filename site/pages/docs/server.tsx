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
        Every page is a Fastify route. Whatever Fastify’s plugins do (sessions, rate limits, databases) they do for
        pages too.
      </p>
      <Section id="server-ts" title="server.ts">
        <p>
          <code>server.ts</code> in the site’s folder is an ordinary Fastify plugin, registered before the pages. Add
          routes, hooks, decorators and other plugins there.
        </p>
        <Code title="server.ts">{SERVER}</Code>
        <p>
          A <code>load</code> reaches all of it through <code>app</code>, <code>request</code> and <code>reply</code>.
          An error in one of these routes is treated like one in a page: the same sentence, the same digest, the same
          log line.
        </p>
      </Section>
      <Section id="plugin" title="In an existing Fastify app">
        <p>
          Hydrant’s default export is a Fastify plugin. Build the site with <code>npx hydrant build my-site</code>, then
          register it. The app’s other routes, hooks and plugins go on as before.
        </p>
        <Code title="app.ts">{PLUGIN}</Code>
        <p>
          It takes the same <a href={href('/docs/options', {}, { hash: 'options' })}>options</a> as{' '}
          <code>hydrant.config.ts</code> and beats it; the environment beats both. What concerns the whole server, such
          as its port, its logger and <code>trustProxy</code>, is decided by your app. Start it with{' '}
          <code>NODE_ENV=production</code> in its environment, and so its tests: a production build is not served with
          React’s development build, which sends visitors the messages and stacks of errors.
        </p>
        <p>
          Hydrant’s navigations reach pages only, never a route of the app, and the app’s hooks run once for each of
          them. With <code>{'Fastify({ rewriteUrl })'}</code>, imported from <code>hydrant</code>, hooks see each path
          written in one way, so that they can compare <code>request.url</code>.
        </p>
      </Section>
      <Section id="operating" title="Operating an app of your own">
        <p>
          <code>hydrant.admin</code> mounts the <a href={href('/docs/console')}>console</a>, its API and the metrics
          below a prefix of the app. Operators sign in with <code>HYDRANT_ADMIN_TOKEN</code>; or, with{' '}
          <code>auth: 'app'</code>, hooks of the app decide who may. Where they would let everybody in, the console is
          locked.
        </p>
        <Code title="app.ts">{ADMIN}</Code>
        <p>
          <code>onError</code> hooks run for failures of pages, too: of loads, actions, components and streams, once for
          each request. <code>digestOf</code> gives them the digest that the log and the visitor have.
        </p>
        <p>
          Hooks of the app tell Hydrant’s routes by <code>request.routeOptions.config.hydrant</code>. A rate limit of
          the whole app, with <code>@fastify/rate-limit</code>, counts pages, and neither probes, assets nor reports of
          browsers. With <code>timeouts.hangMs</code>, which is off in an app, what holds up the process is cut off and
          told of like any other failure.
        </p>
      </Section>
      <Section id="create-server" title="createServer">
        <p>
          <code>createServer</code> makes the whole instance: Fastify, its logger, <code>server.ts</code> and the pages.
          It does not listen by itself. Besides the options it takes <code>logger</code> or <code>loggerInstance</code>,
          as Fastify does.
        </p>
        <Code title="main.ts">{CREATE}</Code>
      </Section>
      <Section id="tests" title="Tests">
        <p>
          The instance can be asked without a port, by Fastify’s <code>inject</code>. A page’s data can be checked as
          JSON, without parsing HTML.
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
import hydrant, { digestOf } from 'hydrant'

app.addHook('onError', async (request, reply, error) => {
  tracker.capture(error, { digest: digestOf(request, error) })
})
await app.register(hydrant, { dir: './my-site' })
await app.register(async (ops) => {
  ops.addHook('onRequest', ops.authenticateOperator)
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
