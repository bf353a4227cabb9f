import type { Token, Tokens } from 'marked'
import type { Section } from './site-document.ts'

/** Splits a document at its headings. The ids are those of GitHub, so anchors in the documents lead to them. */
export function splitSections(tokens: readonly Token[]): Section[] {
  const sections: { id: string; text: string; level: number; texts: string[] }[] = []
  const used = new Map<string, number>()
  for (const token of tokens) {
    if (token.type === 'heading') {
      const text = textOf(token.tokens ?? [])
      const slug = toSlug(text)
      const count = used.get(slug) ?? 0
      used.set(slug, count + 1)
      sections.push({ id: count === 0 ? slug : `${slug}-${count}`, text, level: token.depth, texts: [] })
    } else {
      sections.at(-1)?.texts.push(textOf([token]))
    }
  }
  return sections.map(({ texts, ...section }) => ({ ...section, body: texts.join(' ').replace(/\s+/g, ' ').trim() }))
}

function toSlug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-')
}

/** Returns the text of tokens without markup. */
function textOf(tokens: readonly Token[]): string {
  return tokens.map(textOfToken).join('')
}

function textOfToken(token: Token): string {
  switch (token.type) {
    case 'html':
    case 'space':
    case 'br':
      return ' '
    // The casts follow the types that marked gives to tokens with these names.
    case 'table': {
      const { header, rows } = token as Tokens.Table
      return [header, ...rows].map((row) => row.map((cell) => textOf(cell.tokens)).join(' ')).join(' ')
    }
    case 'list':
      return (token as Tokens.List).items.map((item) => item.tokens.map(textOfToken).join(' ')).join(' ')
    default:
      return 'tokens' in token && token.tokens ? textOf(token.tokens) : 'text' in token ? String(token.text) : ''
  }
}
