import { href, type RouteId } from 'hydrant/react'
import type { MDXComponents } from 'mdx/types.js'
import type { ComponentProps } from 'react'
import { Callout } from './callout.tsx'
import { CodeBlock } from './code-block.tsx'
import { Tab, Tabs } from './tabs.tsx'

const components: MDXComponents = { Callout, Tab, Tabs, a: Link, h2: Heading, pre: CodeBlock }

/** Gives all MDX files these components, and these elements in place of those of Markdown. */
export function useMDXComponents(): MDXComponents {
  return components
}

/** `href` adds the path below which the site is mounted. A test finds links that lead nowhere. */
function Link({ href: to = '', ...props }: ComponentProps<'a'>) {
  return <a href={to.startsWith('/') ? href(to as RouteId) : to} {...props} />
}

/** A heading that is a link to itself, whose address the visitor can copy. */
function Heading({ id, children }: ComponentProps<'h2'>) {
  return (
    <h2 id={id}>
      <a href={`#${id}`}>{children}</a>
    </h2>
  )
}
