import type { Root } from 'hast'

/** A part of a page: the text below a heading, or the text before the first one. */
export interface Section {
  /** The id of the heading; empty for the text before the first one. */
  id: string
  heading: string
  text: string
}

/** Loads a rehype plugin that adds an export to each MDX file: `sections`, its text by headings. */
export async function createSectionExporter() {
  const { valueToEstree } = await import('estree-util-value-to-estree')
  const { toString: textOf } = await import('hast-util-to-string')
  const { define } = await import('unist-util-mdx-define')

  return () => (tree: Root, file: Parameters<typeof define>[1]) => {
    const sections: Section[] = [{ id: '', heading: '', text: '' }]
    for (const node of tree.children) {
      if (node.type === 'element' && node.tagName === 'h2') {
        sections.push({ id: String(node.properties.id), heading: textOf(node), text: '' })
        continue
      }
      const section = sections.at(-1)
      // Exports and expressions of the page are no text.
      if (section && 'children' in node) section.text += `${textOf(node)}\n`
    }
    define(tree, file, { sections: valueToEstree(sections) })
  }
}
