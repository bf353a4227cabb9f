import { type ComponentType, Fragment, type ReactElement, type ReactNode } from 'react'
import { jsx } from 'react/jsx-runtime'
import { Boundary, FailureView } from './boundary.tsx'
import { fallbackTitle } from './fallback.ts'
import type { ErrorPageProps, LayoutProps, NotFoundProps, PageProps } from './page-types.ts'
import { type Platform, PlatformContext } from './platform.ts'
import type { Refusal, Shown } from './shown.ts'

type Data = { data: unknown }
export type PageComponent = ComponentType<Omit<PageProps, 'data'> & Data>
export type LayoutComponent = ComponentType<Omit<LayoutProps, 'data'> & Data>
export type ErrorComponent = ComponentType<ErrorPageProps>
export type NotFoundComponent = ComponentType<NotFoundProps>

export interface TreeLayout {
  Component: LayoutComponent
  data: unknown
  /** URLs of stylesheets. */
  css: readonly string[]
  /** The error page that stands directly inside this layout. */
  ErrorPage: ErrorComponent | null
}

export type TreeLeaf = { css: readonly string[] } & (
  | { kind: 'page'; Component: PageComponent; data: unknown }
  | { kind: 'notFound'; Component: NotFoundComponent }
  | { kind: 'shown'; shown: Shown; ErrorPage: ErrorComponent | null }
)

export interface Tree {
  /** Outermost first; the first renders `<html>`. */
  layouts: readonly TreeLayout[]
  leaf: TreeLeaf
  params: Record<string, string>
  /** Parsed only for a page that looks at it. */
  address: { readonly url: URL }
}

/**
 * The same elements on both sides: layouts around a boundary around what stands innermost. On the server the boundaries
 * are left out, as they do nothing there.
 */
export function createAppTree({ layouts, leaf, params, address }: Tree, platform: Platform): ReactElement {
  let tree = withStyles(leaf.css, leafElement(leaf, params, address))
  const isServer = platform.side === 'server'
  let ErrorPage: ErrorComponent | null = null
  const errorPages = layouts.map((layout) => (ErrorPage = layout.ErrorPage ?? ErrorPage))
  for (let index = layouts.length - 1; index >= 0; index--) {
    const layout = layouts[index]
    if (!layout) continue
    const { Component, data, css } = layout
    const children = isServer ? tree : <Boundary errorPage={errorPages[index] ?? null}>{tree}</Boundary>
    tree = withStyles(css, jsx(Component, pageProps(data, params, address, children)))
  }
  if (isServer) return <PlatformContext value={platform}>{tree}</PlatformContext>
  return (
    <PlatformContext value={platform}>
      <Boundary isDocument>{tree}</Boundary>
    </PlatformContext>
  )
}

/** The root layout of a site that has none of its own. */
export function DefaultLayout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
      </head>
      <body>{children}</body>
    </html>
  )
}

/** The 404 page of a site that has none of its own. */
export const NOT_FOUND: Refusal = { kind: 'refusal', status: 404, message: 'This page could not be found.' }

function leafElement(leaf: TreeLeaf, params: Record<string, string>, address: Tree['address']): ReactNode {
  switch (leaf.kind) {
    case 'page':
      return jsx(leaf.Component, pageProps(leaf.data, params, address))
    case 'notFound':
      return (
        <>
          <meta name="robots" content="noindex" />
          <leaf.Component url={address.url} />
        </>
      )
    case 'shown':
      if (leaf.ErrorPage) return <FailureView shown={leaf.shown} errorPage={leaf.ErrorPage} />
      return (
        <>
          <title>{fallbackTitle(leaf.shown)}</title>
          <FailureView shown={leaf.shown} errorPage={null} />
        </>
      )
  }
}

// `url` is a getter, which `jsx` leaves alone where `createElement` would read it: most pages never do.
function pageProps(data: unknown, params: Record<string, string>, address: Tree['address'], children?: ReactNode) {
  return {
    data,
    params,
    children,
    get url() {
      return address.url
    },
  }
}

function withStyles(css: readonly string[], children: ReactNode): ReactNode {
  if (css.length === 0) return children
  return (
    <Fragment>
      {css.map((href) => (
        <link key={href} rel="stylesheet" href={href} precedence="hydrant" />
      ))}
      {children}
    </Fragment>
  )
}
