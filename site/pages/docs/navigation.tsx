import { href } from 'hydrant/react'
import { Code } from '../../components/code.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Section } from '../../components/section.tsx'
import { Table } from '../../components/table.tsx'

export default function Navigation() {
  return (
    <>
      <PageHead title="Navigation" description="Page changes without loading documents, with plain links." />
      <h1>Navigation</h1>
      <p className="lead">
        A link is a plain <code>&lt;a&gt;</code>. In a browser with JavaScript, Hydrant shows the next page without
        loading a document. Other browsers load a document, as usual.
      </p>
      <Links />
      <Stays />
      <Waiting />
      <Ahead />
      <Transitions />
      <Documents />
    </>
  )
}

function Links() {
  return (
    <Section id="links" title="No new API">
      <Code title="pages/index.tsx">{LINK}</Code>
      <p>
        Hydrant handles links, forms with <code>method="get"</code>, Back and Forward, and scripts that call{' '}
        <code>navigation.navigate()</code> in the same way. The browser’s Navigation API reports the navigation to
        Hydrant. The server names the modules and the data that the target needs. Hydrant fetches both at the same time,
        and React renders the page in place. Hydrant also updates the title and meta elements, and announces the page’s
        name to screen readers. The browser handles scroll position and focus as usual.
      </p>
      <p>
        The server is the only router. Hydrant sends no table of routes to the browser, so a large site costs the
        browser no more than a small one.
      </p>
      <p>
        Note that <code>scroll-behavior: smooth</code> on <code>&lt;html&gt;</code> also applies to navigations. Each
        new page would then scroll smoothly to its top instead of starting there.
      </p>
    </Section>
  )
}

function Stays() {
  return (
    <Section id="stays" title="What keeps its state">
      <Table
        caption="What keeps its state during a navigation"
        head={['what', 'during a navigation']}
        rows={[
          [
            'a layout of both pages',
            'keeps its state, and its load does not run again, as long as the parameters in its folder’s path stay the same',
          ],
          ['the page, if only its query changes', 'keeps its state; its load runs again'],
          ['the page, if the path changes', 'is new, even if the file is the same'],
        ]}
      />
      <p>After a form, all loads run again, including those of the layouts.</p>
    </Section>
  )
}

function Waiting() {
  return (
    <Section id="waiting" title="Pending navigations">
      <p>
        After 150 ms, a thin bar appears at the top. Set its colour with <code>--hydrant-progress</code>:
      </p>
      <Code title="pages/layout.css" language="css">
        {PROGRESS}
      </Code>
      <p>
        <code>useNavigation()</code> returns the state of the navigation and its target:
      </p>
      <Code title="components/spinner.tsx">{USE_NAVIGATION}</Code>
      <Table
        caption="What useNavigation() returns"
        head={['state', 'with', 'while']}
        rows={[
          [<code key="state">idle</code>, 'nothing', 'no navigation is in progress; always this state on the server'],
          [<code key="state">loading</code>, <code key="with">url</code>, 'Hydrant fetches the next page'],
          [
            <code key="state">submitting</code>,
            <>
              <code>url</code>, <code>formData</code>
            </>,
            'Hydrant sends a form',
          ],
        ]}
      />
      <p>A newer click cancels the older navigation, in the browser and on the server.</p>
    </Section>
  )
}

function Ahead() {
  return (
    <Section id="prefetch" title="Prefetching">
      <p>
        Hydrant fetches the modules and data of a page before the visitor follows its link.{' '}
        <code>data-hydrant-prefetch</code> on the link, or on the nearest element around it that has the attribute, sets
        when:
      </p>
      <Table
        caption="Values of data-hydrant-prefetch"
        head={['value', 'when']}
        rows={[
          [<code key="value">hover</code>, 'the pointer rests on the link, or it is focused or touched; the default'],
          [<code key="value">visible</code>, 'the link is visible'],
          [<code key="value">off</code>, 'never'],
        ]}
      />
      <Code title="components/menu.tsx">{OFF}</Code>
      <p>
        <code>prefetch(url)</code> from <code>hydrant/react</code> fetches a page from code. It resolves when the page
        is there.
      </p>
      <p>
        A prefetched page is used once, within ten seconds. An action discards it. Five pages are kept, and three
        responses may be pending. Hydrant does not prefetch links for visitors who save data or have a slow connection.
        If a prefetch fails or is redirected, the page is requested again.
      </p>
      <p>
        A prefetch runs the page’s load like any other request, but the visitor may never open the page. Therefore a
        load should not change anything. Use <a href={href('/docs/forms')}>forms</a> for changes.
      </p>
    </Section>
  )
}

function Transitions() {
  return (
    <Section id="transitions" title="View transitions">
      <p>
        Each navigation is a React transition, so <code>{'<ViewTransition>'}</code> animates links, Back and Forward.
        Two elements with the same name on two pages are shared: the browser moves one to the place of the other.
      </p>
      <Code title="components/tea-name.tsx">{SHARED}</Code>
      <p>
        The type of the transition selects other animations, in the props of <code>{'<ViewTransition>'}</code> or in CSS
        with <code>:active-view-transition-type(back)</code>:
      </p>
      <Table
        caption="Types of transitions"
        head={['type', 'when']}
        rows={[
          [<code key="type">forward</code>, 'the visitor follows a link or goes forward in the history'],
          [<code key="type">back</code>, 'the visitor goes back in the history'],
          [<code key="type">replace</code>, 'the navigation replaces the entry in the history'],
          [<code key="type">submit</code>, 'the page shows the result of a form'],
        ]}
      />
      <p>
        Nothing is animated for visitors who prefer reduced motion, nor if the browser itself has animated the change of
        page.
      </p>
    </Section>
  )
}

function Documents() {
  return (
    <Section id="documents" title="When the browser loads a document">
      <Table
        caption="What the browser handles itself"
        head={['what', 'what happens']}
        rows={[
          ['a link within the page (#…)', 'the browser scrolls'],
          ['download, target, a click with Ctrl or Shift, another site', 'the browser acts as usual'],
          ['a path that ends like a file (/report.pdf)', 'the browser loads it'],
          [
            <>
              <code>data-hydrant-reload</code> on the link or on an element around it
            </>,
            'the browser loads a document',
          ],
          ['a route of server.ts, an unknown path', 'the server reports it, and the browser loads the document'],
          ['the network or a module fails', 'the browser loads the target, to show its own error page'],
          [
            'the site has been deployed since the page was loaded',
            'the next navigation loads the document of its target, from the new build. A build keeps the files of the previous one, for pages that are open',
          ],
          [
            'a browser without the Navigation API, or without JavaScript',
            'all links load documents, and all pages work',
          ],
        ]}
      />
      <p>
        The response to a navigation begins before the loads have finished, so cookies can no longer be set then. If a
        load sets a cookie after that, the browser also loads the document to get it. To avoid this second request for a
        page whose load sets cookies, write <code>export const stream = false</code> in its <code>.server</code> file.
        Its response then waits for the loads.
      </p>
      <p>
        If the next page fails, Hydrant shows its <a href={href('/docs/failures')}>failure</a> at the page’s own
        address, with the digest.
      </p>
    </Section>
  )
}

const LINK = `
import { href } from 'hydrant/react'

export default function Home() {
  return (
    <>
      <a href={href('/products/[id]', { id: 7 })}>Number 7</a>
      <form action={href('/search')}>
        <input name="q" />
      </form>
    </>
  )
}
`

const PROGRESS = `
:root {
  --hydrant-progress: rebeccapurple;
}
`

const USE_NAVIGATION = `
import { useNavigation } from 'hydrant/react'

export function Spinner() {
  const navigation = useNavigation()
  if (navigation.state === 'idle') return null
  return <p>On the way to {navigation.url.pathname}…</p>
}
`

const SHARED = `
import { ViewTransition } from 'react'

export function TeaName({ id, name }: { id: string; name: string }) {
  return (
    <ViewTransition name={'tea-' + id}>
      <strong>{name}</strong>
    </ViewTransition>
  )
}
`

const OFF = `
import { href } from 'hydrant/react'

export function Menu() {
  return (
    <nav data-hydrant-prefetch="visible">
      <a href={href('/search')}>Search</a>
      <a href={href('/archive')} data-hydrant-prefetch="off">Archive</a>
      <a href={href('/logout')} data-hydrant-reload>Leave</a>
    </nav>
  )
}
`
