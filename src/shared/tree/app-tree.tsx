import type { ComponentType, ReactElement, ReactNode } from 'react'
import { jsx } from 'react/jsx-runtime'
import type { ErrorPageProps, LayoutProps, NotFoundProps, PageProps } from '../page-types.ts'
import type { ActionRules, ExtraProps } from '../wire/boot.ts'
import type { PublicError } from '../wire/public-error.ts'
import { Boundary, ErrorView } from './boundary.tsx'
import type { CreateFormProps } from './fields.ts'
import { provide } from './page-values.ts'
import { type Address, type Platform, PlatformContext } from './platform.ts'

export type PageComponent = ComponentType<PageProps>
export type LayoutComponent = ComponentType<LayoutProps>
export type ErrorComponent = ComponentType<ErrorPageProps>
export type NotFoundComponent = ComponentType<NotFoundProps>

export interface TreeLayout {
  Component: LayoutComponent
  /** URLs of stylesheets. */
  css: readonly string[]
  /** The nearest error page for failures inside this layout; null if the site has none. */
  ErrorPage: ErrorComponent | null
  /** The path of its folder in `pages/`; missing for Hydrant's own layout. */
  route?: string | undefined
  /** In the browser: a layout with the same key keeps its state when the page changes. */
  key?: string
}

export type TreeLeaf = { css: readonly string[]; key?: string; file?: string | null; route?: string } & (
  | {
      kind: 'page'
      Component: PageComponent
      /** For a page with forms: the rules of their fields, and the function that makes the prop `fields` or `actions`. */
      rules?: ActionRules | undefined
      formProps?: CreateFormProps | undefined
    }
  | { kind: 'notFound'; Component: NotFoundComponent }
  | { kind: 'shown'; shown: PublicError; Component: ErrorComponent | null }
)

export interface Tree {
  /** The outermost layout first. It renders `<html>`. */
  layouts: readonly TreeLayout[]
  leaf: TreeLeaf
  /** The data of the layouts, outermost first, then of the page, then its `ExtraProps` if it has any. */
  data: readonly unknown[]
  params: Record<string, string>
  address: Address
}

/**
 * Returns the React elements of a page, the same on both sides: layouts around a boundary around the leaf. The server
 * leaves out the boundaries, which have no effect there, and the platform of a page without action data, whose hooks
 * need only the defaults.
 */
export function createAppTree(tree: Tree, platform: Platform): ReactElement {
  const { layouts, leaf, address, data } = tree
  // The page's extras follow its data.
  const extras = data[layouts.length + 1] as ExtraProps | undefined
  const outermost = layouts.reduceRight(
    (content, { Component, css, ErrorPage, key, route }, index) => {
      const children =
        typeof HYDRANT_BROWSER === 'undefined' && platform.side === 'server' ? (
          content
        ) : (
          <Boundary errorPage={ErrorPage}>{content}</Boundary>
        )
      const props = pageProps(tree, index, platform, children)
      return provide(route, data[index], withStyles(css, jsx(Component, props, key)))
    },
    withStyles(leaf.css, leafElement(tree, platform, extras)),
  )
  const page = provide('params', extras?.params ?? tree.params, provide('route', leaf.route, outermost))
  const element = provide('url', address, page)
  if (typeof HYDRANT_BROWSER === 'undefined' && platform.side === 'server') {
    const isDefault = leaf.kind === 'page' && !platform.base && extras?.actionData === undefined && !extras?.invalid
    return isDefault ? element : <PlatformContext value={platform}>{element}</PlatformContext>
  }
  // A copy, so that React updates the components that read it. The server renders only one page.
  return (
    <PlatformContext value={{ ...platform, extras }}>
      <Boundary isDocument>{element}</Boundary>
    </PlatformContext>
  )
}

function leafElement(tree: Tree, platform: Platform, extras: ExtraProps | undefined): ReactElement {
  const { leaf, layouts, address } = tree
  switch (leaf.kind) {
    case 'page': {
      const props = Object.assign(pageProps(tree, layouts.length, platform), extras, leaf.formProps?.(leaf, extras))
      return jsx(leaf.Component, props, leaf.key)
    }
    case 'notFound':
      return (
        <>
          <meta name="robots" content="noindex" />
          <leaf.Component url={address.url} />
        </>
      )
    case 'shown':
      return <ErrorView error={leaf.shown} errorPage={leaf.Component} />
  }
}

const ADDRESS = Symbol('address')

// All props share one accessor: V8 would give each object literal with a getter a hidden class of its own, and keep it,
// and everything that the object refers to, until a full garbage collection.
// perf: the URL is parsed on demand, 0.13 µs instead of 0.25 µs for each component that gets one, commit 8d8d4fde
const LAZY_URL: PropertyDescriptor & ThisType<{ [ADDRESS]: Address }> = {
  get() {
    return this[ADDRESS].url
  },
  enumerable: true,
}

// The result is for `jsx`, which uses the object itself. `createElement` would copy it, and read the lazy `url`.
function pageProps({ data, params, address }: Tree, level: number, platform: Platform, children?: ReactNode) {
  if (typeof HYDRANT_BROWSER === 'undefined' && platform.side === 'server') {
    const props = { data: data[level], params, children, [ADDRESS]: address }
    // `LAZY_URL` adds this property. Most pages never read it.
    return Object.defineProperty(props, 'url', LAZY_URL) as typeof props & { readonly url: URL }
  }
  return { data: data[level], params, children, url: address.url }
}

function withStyles(css: readonly string[], children: ReactElement): ReactElement {
  if (css.length === 0) return children
  return (
    <>
      {css.map((href) => (
        <link key={href} rel="stylesheet" href={href} precedence="hydrant" />
      ))}
      {children}
    </>
  )
}
