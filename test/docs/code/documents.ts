import type { Test } from 'tap'
import { type CodeBlock, listMarkdown, readMarkdown } from './code-block.ts'
import { readSiteSamples } from './site-samples.ts'

/** Chapters whose blocks another test follows step by step. */
const CHAPTER = /^docs\/guide\/(?!README\.md$)/

/** Returns all blocks of the documents that users read, in Markdown and on the project's site, except for the guide. */
export async function readDocuments(t: Pick<Test, 'testdir' | 'teardown'>): Promise<CodeBlock[]> {
  const markdown = listMarkdown().filter((document) => !CHAPTER.test(document))
  return [...markdown.flatMap(readMarkdown), ...(await readSiteSamples(t.testdir({})))]
}
