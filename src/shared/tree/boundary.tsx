import { Component, type ComponentType, createRef, type FragmentInstance, type ReactNode, useContext } from 'react'
import { Fragment } from 'react/jsx-runtime'
import type { ErrorPageProps } from '../page-types.ts'
import { RefusalError, ServerFailure } from '../wire/promises.ts'
import { type PublicError, publicMessage } from '../wire/public-error.ts'
import { fallbackTitle, PAGE_STYLE, trustedContent } from './fallback.ts'
import { type Platform, PlatformContext } from './platform.ts'

interface BoundaryProps {
  children?: ReactNode
  /** The site's error page. */
  errorPage?: ComponentType<ErrorPageProps> | null
  /** The error to show, whatever was thrown: around an error page, the error that the page shows. */
  first?: PublicError
  /** True for the boundary around `<html>`. */
  isDocument?: boolean
}

interface BoundaryState {
  failed: { thrown: unknown } | null
}

/**
 * Shows the sentence for visitors in place of its children when one of them throws in the browser. Hydrant puts a
 * boundary around each page, inside the layouts. Put more boundaries around parts of a page that may fail separately.
 * On the server, React has no boundaries: the error page replaces a page that fails outside of `<Suspense>`.
 */
export class FailureBoundary extends Component<{ children?: ReactNode }> {
  override render() {
    return <Boundary>{this.props.children}</Boundary>
  }
}

/** The boundary of `FailureBoundary`, with props that only Hydrant's own tree sets. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  static override contextType = PlatformContext
  declare context: Platform
  #children = createRef<FragmentInstance>()
  #failed: object | undefined
  /** The error that the boundary shows, and the page on which it occurred. */
  shown: { page: number; error: PublicError } | undefined

  // Explicit, because Safari's stacks have no position for an implicit constructor. The server finds the boundary in
  // the component stack of a report to know which components are inside a page.
  constructor(props: BoundaryProps) {
    super(props)
    this.state = { failed: null }
  }

  static getDerivedStateFromError(thrown: unknown): BoundaryState {
    return { failed: { thrown } }
  }

  /** Shows an error that no child throws: the children are pending, and their content will never arrive. */
  fail(thrown: unknown) {
    this.setState({ failed: { thrown } })
  }

  override render() {
    const { children, errorPage, isDocument, first } = this.props
    const { failed } = this.state
    const recovery = failed && this.context.recover?.(failed.thrown, this)
    if (recovery) {
      // Only the outermost boundary suspends, where React keeps the current page. Any other would show the fallback of
      // a `<Suspense>` around it.
      if (!isDocument) throw failed.thrown
      return recovery
    }
    const error = failed && recovery !== 0 && (first ?? this.#errorToShow(failed))
    if (!error && (isDocument || first)) return children
    if (!error) return <Fragment ref={this.#children}>{children}</Fragment>
    if (!isDocument) return <ErrorView error={error} errorPage={errorPage} />
    // The root layout failed, so `<html>` has to be rendered in its place.
    return (
      <DefaultLayout>
        <style>{PAGE_STYLE}</style>
        <main>
          <ErrorView error={error} errorPage={null} />
        </main>
      </DefaultLayout>
    )
  }

  // React renders a failing boundary several times, and may catch the same error each time. The digest is in the
  // document only the first time. A failure of the previous page is over: the result is null.
  #errorToShow(failed: { thrown: unknown }): PublicError | null {
    const { page } = this.context
    if (this.#failed !== failed && this.shown?.page !== page)
      this.shown = { page, error: this.#toPublicError(failed.thrown) }
    this.#failed = failed
    return this.shown?.page === page ? this.shown.error : null
  }

  #toPublicError(thrown: unknown): PublicError {
    if (thrown instanceof RefusalError) return { kind: 'refusal', status: thrown.status, message: thrown.message }
    const digest = thrown instanceof ServerFailure ? thrown.digest : this.context.findDigest?.(this.#children.current)
    return digest ? { kind: 'failure', side: 'server', status: 500, digest } : { kind: 'failure', side: 'client' }
  }
}

interface ErrorViewProps {
  error: PublicError
  /** Null if the site has none for this page; undefined for a part of a page. */
  errorPage: ComponentType<ErrorPageProps> | null | undefined
}

/** Renders the site's error page, or the plain fallback, in the place of a failed part or page. */
export function ErrorView({ error, errorPage: ErrorPage }: ErrorViewProps) {
  const platform = useContext(PlatformContext)
  const noIndex = <meta name="robots" content="noindex" />
  if (ErrorPage)
    return (
      <Boundary first={error}>
        {noIndex}
        <ErrorPage {...errorPageProps(error, platform.host, platform.reload)} />
      </Boundary>
    )
  return (
    <>
      {/* A part of a page does not change the title. An error page sets its own. */}
      {ErrorPage === null && <title>{fallbackTitle(error)}</title>}
      {noIndex}
      <div
        className="hydrant-failure"
        role="alert"
        suppressHydrationWarning
        dangerouslySetInnerHTML={{ __html: trustedContent(error, platform) }}
      />
    </>
  )
}

/** Matches the path of `boundary.tsx`, the module beside this one, in the source map of a browser script. */
export const BOUNDARY_FILE = /(?:^|\/)shared\/tree\/boundary\.[jt]sx?$/

/** Returns the props of an error page. */
export function errorPageProps(error: PublicError, host: string, retry: () => void): ErrorPageProps {
  const { kind: _, ...fields } = error
  return { status: 500, side: 'server', ...fields, message: publicMessage(error, host), host, retry }
}

/** The root layout of a site without one. */
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
