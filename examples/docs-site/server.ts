import cookie from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import { groupByChapter } from './content/chapters.ts'
import { pages } from './content/pages.server.ts'

const INTRODUCTION = `# Kettle

> Kettle boils water from the command line.

Every page responds with Markdown to a request with the header "Accept: text/markdown".
`

export default async function server(app: FastifyInstance) {
  await app.register(cookie)

  app.get('/llms.txt', async ({ protocol, host }, reply) => {
    reply.type('text/plain; charset=utf-8')
    const chapters = groupByChapter(pages).map(([chapter, pages]) => {
      const links = pages.map(
        ({ path, title, description }) => `- [${title}](${protocol}://${host}${path}): ${description}\n`,
      )
      return `\n## ${chapter}\n\n${links.join('')}`
    })
    return INTRODUCTION + chapters.join('')
  })
}
