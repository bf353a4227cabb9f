import { type Chapter, readGuide, readReference } from './chapters.ts'

/** Returns `docs/llms.txt`: the list of all chapters for coding agents, in the format of llmstxt.org. */
export function formatLlms(): string {
  return `# Hydrant

> Server-rendered React 19 pages from Fastify 5. Hydrant is not Next.js, Remix or React Router, and their APIs do not exist
> here.

The links lead to files of this folder. "npx hydrant docs NAME" prints a chapter, for example "npx hydrant docs guards".
"npx hydrant docs WORDS" searches all chapters, and "npx hydrant docs CODE" explains an error code.

## Guide

${formatList(readGuide())}

## Reference

${formatList(readReference())}
`
}

function formatList(chapters: readonly Chapter[]): string {
  return chapters.map(({ title, path, description }) => `- [${title}](${path}): ${description}`).join('\n')
}
