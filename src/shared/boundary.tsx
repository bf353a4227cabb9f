import {
  Component,
  type ComponentType,
  createRef,
  Fragment,
  type FragmentInstance,
  type ReactNode,
  useContext,
} from 'react'
import { Refusal, ServerFailure } from './data.ts'
import { fallbackBody, fallbackContent, fallbackHead } from './fallback.ts'
import type { ErrorPageProps } from './page-types.ts'
import { type Platform, PlatformContext } from './platform.ts'
import { errorPageProps, type Shown } from './shown.ts'

interface BoundaryProps {
  children?: ReactNode
  /** The site's own page for what went wrong. */
  errorPage?: ComponentType<ErrorPageProps> | null
  /** What to show instead of looking at what was thrown: the first failure, while its error page fails too. */
  first?: Shown
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
  override state: BoundaryState = { failed: null }
  #place = createRef<FragmentInstance>()
  #shown: Shown | null = null

  static getDerivedStateFromError(thrown: unknown): BoundaryState {
    return { failed: { thrown } }
  }

  override render() {
    const { children, errorPage, isDocument, first } = this.props
    const { failed } = this.state
    if (!failed && (isDocument || first)) return children
    if (!failed) return <Fragment ref={this.#place}>{children}</Fragment>
    const shown = first ?? this.#examine(failed.thrown)
    return isDocument ? <FailedDocument shown={shown} /> : <FailureView shown={shown} errorPage={errorPage ?? null} />
  }

  // React renders a failing boundary more than once, and only before its first commit the digest is in the page.
  #examine(thrown: unknown): Shown {
    this.#shown ??= this.#look(thrown)
    return this.#shown
  }

  #look(thrown: unknown): Shown {
    if (thrown instanceof Refusal) return { kind: 'refusal', status: thrown.status, message: thrown.message }
    const digest = thrown instanceof ServerFailure ? thrown.digest : this.context.findDigest(this.#place.current)
    if (digest === undefined) return { kind: 'failure', side: 'client' }
    return { kind: 'failure', side: 'server', status: 500, digest }
  }
}

/** What stands in the page's place: the site's error page, or the plain fallback. */
export function FailureView({
  shown,
  errorPage: ErrorPage,
}: {
  shown: Shown
  errorPage: ComponentType<ErrorPageProps> | null
}) {
  const platform = useContext(PlatformContext)
  if (!ErrorPage) return <Fallback shown={shown} />
  return (
    <Boundary first={shown}>
      <meta name="robots" content="noindex" />
      <ErrorPage {...errorPageProps(shown, platform.host, platform.reload)} />
    </Boundary>
  )
}

function Fallback({ shown }: { shown: Shown }) {
  const platform = useContext(PlatformContext)
  return (
    <>
      <meta name="robots" content="noindex" />
      <div
        className="hydrant-failure"
        role="alert"
        suppressHydrationWarning
        dangerouslySetInnerHTML={{ __html: fallbackContent(shown, platform) }}
      />
    </>
  )
}

// The root layout itself failed in the browser: `<html>` has to be made anew.
function FailedDocument({ shown }: { shown: Shown }) {
  const platform = useContext(PlatformContext)
  return (
    <html lang="en">
      <head dangerouslySetInnerHTML={{ __html: fallbackHead(shown) }} />
      <body dangerouslySetInnerHTML={{ __html: fallbackBody(shown, platform) }} />
    </html>
  )
}
