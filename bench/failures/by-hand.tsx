// The minimum cost of a page that fails: React's two renders on a bare Fastify, and one Pino line with the error and
// its stack. It has no fingerprint, no redaction, no ledger, and only the headers that Fastify needs.

import Fastify, { type FastifyReply } from 'fastify'
import type { ReactNode } from 'react'
import { renderToPipeableStream } from 'react-dom/server.bun'

const app = Fastify({ logger: true, disableRequestLogging: true })
/** Has the length of Hydrant's fallback with its style. */
const FALLBACK = 'x'.repeat(1_400)

app.get('/', (request, reply) => {
  const { part } = request.query as { part?: string }
  send(<Page fails={part === 'render'} />, reply, (error) => {
    request.log.error(error)
    send(<Failed />, reply.code(500), () => reply.send(FALLBACK))
  })
})

await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })

function send(page: ReactNode, reply: FastifyReply, onFailed: (error: unknown) => void) {
  let text = ''
  // Implements only the stream methods that React's build calls.
  const sink = {
    write(part: string) {
      text += part
      return true
    },
    end() {
      reply.type('text/html; charset=utf-8').send(text)
    },
    on: () => sink,
  }
  const stream = renderToPipeableStream(<Layout>{page}</Layout>, {
    onShellReady: () => stream.pipe(sink as unknown as NodeJS.WritableStream),
    onShellError: onFailed,
    onError() {},
  })
}

function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1.0" />
        <style dangerouslySetInnerHTML={{ __html: 'body{margin:0}' }} />
      </head>
      <body>{children}</body>
    </html>
  )
}

function Page({ fails }: { fails: boolean }) {
  if (fails) throw new Error('The component throws.')
  return (
    <>
      <title>Hello</title>
      <h1>Hello</h1>
      <button type="button">count: 0</button>
    </>
  )
}

function Failed() {
  return <div role="alert" dangerouslySetInnerHTML={{ __html: FALLBACK }} />
}
