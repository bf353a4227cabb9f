import { Component, type ComponentType, createRef, type FragmentInstance, type ReactNode, useContext } from 'react'
import { Fragment } from 'react/jsx-runtime'
import type { ErrorPageProps } from '../page-types.ts'
import { RefusalError, ServerFailure } from '../wire/deferred-data.ts'
import { errorPageProps, type PublicError } from '../wire/public-error.ts'
import { DefaultLayout } from './default-layout.tsx'
import { fallbackContent, fallbackTitle, PAGE_STYLE } from './fallback.ts'
import { type Platform, PlatformContext } from './platform.ts'

interface BoundaryProps {
  children?: ReactNode
  /** The site's own page for what went wrong. */
  errorPage?: ComponentType<ErrorPageProps> | null
  /** What to show instead of looking at what was thrown: the first failure, while its error page fails too. */
  first?: PublicError
  /** Does the boundary stand outside of `<html>`? */
  isDocument?: boolean
}

interface BoundaryState {
  failed: { thrown: unknown } | null
}

/**
 * Shows the fallback in the place of its children when one of them throws in the browser. Hydrant puts one around
 * each page, inside its layouts; put more around parts of a page that may fail alone. On the server React has
 * no boundaries: there, a failure outside of `<Suspense>` takes the page's place.
 */
export class FailureBoundary extends Component<{ children?: ReactNode }> {
  override render() {
    return <Boundary>{this.props.children}</Boundary>
  }
}

export class Boundary extends Component<BoundaryProps, BoundaryState> {
  static override contextType = PlatformContext
  declare context: Platform
  #place = createRef<FragmentInstance>()
  #failed: object | undefined
  /** What it shows, and on which page. */
  examined: { page: number; shown: PublicError } | undefined

  // Written out: Safari tells no place of a constructor that is not, and by this one reports know what is inside of a page.
  constructor(props: BoundaryProps) {
    super(props)
    this.state = { failed: null }
  }

  static getDerivedStateFromError(thrown: unknown): BoundaryState {
    return { failed: { thrown } }
  }

  /** What is inside will never come: nothing there throws it, so it is told from outside. */
  fail(thrown: unknown) {
    this.setState({ failed: { thrown } })
  }

  override render() {
    const { children, errorPage, isDocument, first } = this.props
    const { failed } = this.state
    const meanwhile = failed && this.context.recover?.(failed.thrown)
    if (meanwhile) {
      // Up to the root, where React leaves in place what is there: a Suspense on the way would show its fallback.
      if (!isDocument) throw failed.thrown
      return meanwhile
    }
    const shown = failed && (first ?? this.#examine(failed))
    if (!shown && (isDocument || first)) return children
    if (!shown) return <Fragment ref={this.#place}>{children}</Fragment>
    if (!isDocument) return <ErrorView shown={shown} errorPage={errorPage} />
    // The root layout itself failed: `<html>` has to be made anew.
    return (
      <DefaultLayout>
        <style>{PAGE_STYLE}</style>
        <main>
          <ErrorView shown={shown} errorPage={null} />
        </main>
      </DefaultLayout>
    )
  }

  // React renders a failing boundary more than once, and may catch the same anew each time; only the first time the
  // digest is in the page. When the visitor has gone to another page, what failed on the one before is over.
  #examine(failed: { thrown: unknown }): PublicError | null {
    const { page } = this.context
    if (this.#failed !== failed && this.examined?.page !== page)
      this.examined = { page, shown: this.#look(failed.thrown) }
    this.#failed = failed
    return this.examined?.page === page ? this.examined.shown : null
  }

  #look(thrown: unknown): PublicError {
    if (thrown instanceof RefusalError) return { kind: 'refusal', status: thrown.status, message: thrown.message }
    const digest = thrown instanceof ServerFailure ? thrown.digest : this.context.findDigest?.(this.#place.current)
    if (digest === undefined) return { kind: 'failure', side: 'client' }
    return { kind: 'failure', side: 'server', status: 500, digest }
  }
}

interface FailedProps {
  shown: PublicError
  /** Null when the page has none; parts of a page have none to look for. */
  errorPage: ComponentType<ErrorPageProps> | null | undefined
}

/** What stands in the place of what failed: the site's error page, or the plain fallback. */
export function ErrorView({ shown, errorPage: ErrorPage }: FailedProps) {
  const platform = useContext(PlatformContext)
  const noIndex = <meta name="robots" content="noindex" />
  if (ErrorPage)
    return (
      <Boundary first={shown}>
        {noIndex}
        <ErrorPage {...errorPageProps(shown, platform.host, platform.reload)} />
      </Boundary>
    )
  return (
    <>
      {/* Parts of a page leave the title as it is; of a page with an error page it is that one's to give. */}
      {ErrorPage === null && <title>{fallbackTitle(shown)}</title>}
      {noIndex}
      <div
        className="hydrant-failure"
        role="alert"
        suppressHydrationWarning
        dangerouslySetInnerHTML={{ __html: fallbackContent(shown, platform) }}
      />
    </>
  )
}
