// The chapters of Fastify's documentation that have a test of their examples. A new chapter needs one.

import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { DOCS, readBlocks } from '../fastify-examples.ts'

/** Chapters whose examples do not run, with the reason. */
const WITHOUT: Record<string, string> = {
  'Reference/TypeScript': 'Its examples show types, which are those of the installed Fastify.',
  'Guides/Database': 'Its examples need database servers and their plugins.',
  'Guides/Fluent-Schema': 'Its examples make JSON schemas with another package.',
  'Guides/Migration-Guide-V3': 'It shows code of old versions.',
  'Guides/Migration-Guide-V4': 'It shows code of old versions.',
  'Guides/Migration-Guide-V5': 'It shows code of old versions.',
  'Guides/Serverless': 'Its examples need the platforms of others.',
  'Guides/Write-Type-Provider': 'Its examples are types.',
}

t.test('each chapter with examples has a test, or a reason', async (t) => {
  const chapters = ['Reference', 'Guides'].flatMap((part) =>
    readdirSync(`${DOCS}/${part}`)
      .filter((file) => readBlocks(readFileSync(`${DOCS}/${part}/${file}`, 'utf8')).size > 0)
      .map((file) => `${part}/${file.replace(/\.md$/, '')}`),
  )
  const folder = 'test/server/site/fastify-examples'
  const tests = readdirSync(folder).map((file) => readFileSync(`${folder}/${file}`, 'utf8'))
  const tested = chapters.filter((chapter) => tests.some((text) => text.includes(`testChapter(t, '${chapter}'`)))
  t.strictSame([...tested, ...Object.keys(WITHOUT)].sort(), chapters.sort())
})
