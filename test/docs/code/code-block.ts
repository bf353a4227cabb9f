import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A piece of code that a document shows. */
export interface CodeBlock {
  /** The path of the document. */
  document: string
  /** The line of the document in which the text begins. The first line is 1. */
  line: number
  /** The word after the fence, or the language of the sample. */
  language: string
  /** The path of the file that contains the text. Empty if the document names none. */
  path: string
  /** Whether the document says that the text is only a part of a file. */
  isFragment: boolean
  text: string
}

/** Languages of blocks that are files. */
const LANGUAGES = ['ts', 'tsx', 'js', 'css', 'json', 'mdx', 'scss']
const FOLDERS = ['docs', 'docs/guide', 'docs/coming-from', 'docs/deploy', 'docs/proxies']

/** Lists the documents in Markdown that users read. */
export function listMarkdown(): string[] {
  const documents = FOLDERS.flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)))
  return ['README.md', ...documents.filter((path) => path.endsWith('.md')).sort()]
}

/** Reads the fenced code blocks of a document, in order. */
export function readMarkdown(document: string): CodeBlock[] {
  return readBlocks(readFileSync(document, 'utf8'), document)
}

/**
 * Returns the fenced code blocks of a Markdown text, in order. After the language, a fence names the file (`tsx
 * pages/index.tsx`) or says `fragment`. Otherwise a comment in the first line of the text names the file, or the end of
 * the paragraph before: "Write this in `pages/index.tsx`:".
 */
export function readBlocks(markdown: string, document = ''): CodeBlock[] {
  return [...markdown.matchAll(/^```(\S*) ?(.*)\n([\s\S]*?)^```$/gm)].map((match) => {
    const [, language = '', word = '', text = ''] = match
    const isFragment = word === 'fragment'
    const named = pathIn(text) || (LANGUAGES.includes(language) ? pathBefore(markdown.slice(0, match.index)) : '')
    const path = isFragment || word === '' ? named : word
    return { document, line: lineAt(markdown, match.index) + 1, language, path, isFragment, text }
  })
}

/** Returns the line of a position in a text. The first line is 1. */
export function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length
}

/** Names a block: its document and the line in which it begins, or a line further down. */
export function placeOf({ document, line }: CodeBlock, lineInText = 1): string {
  return `${document}:${line + lineInText - 1}`
}

/** Returns the path in a first line such as `// pages/index.tsx` or `# prometheus.yml`. */
function pathIn(text: string): string {
  return /^(?:\/\/|#) ([\w./()[\]-]+\.\w+)(?=$|:)/m.exec(text.split('\n', 1)[0] ?? '')?.[1] ?? ''
}

/** Returns the last path in code marks of a paragraph that ends with a colon. */
function pathBefore(text: string): string {
  const paragraph = text.trimEnd().split('\n\n').at(-1) ?? ''
  return /`([\w./()[\]-]+\.(?:tsx?|js|css|json|mdx|scss))`[^`]*:$/.exec(paragraph)?.[1] ?? ''
}
