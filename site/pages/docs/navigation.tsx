import { href } from 'hydrant/react'
import { Code } from '../../components/code.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Section } from '../../components/section.tsx'
import { Table } from '../../components/table.tsx'

export default function Navigation() {
  return (
    <>
      <PageHead title="Navigation" description="From page to page without loading documents, with plain links." />
      <h1>Navigation</h1>
      <p className="lead">
        A link is a plain <code>&lt;a&gt;</code>. In a browser with JavaScript the next page comes without a new
        document; in every other it comes as pages always have.
      </p>
      <Links />
      <Stays />
      <Waiting />
      <Ahead />
      <Section id="transitions" title="View transitions">
        <p>
          Each navigation is one React transition. So React’s <code>{'<ViewTransition>'}</code>, in versions of React
          that have it, animates from page to page with nothing else to set up.
        </p>
      </Section>
      <Documents />
    </>
  )
}

function Links() {
  return (
    <Section id="links" title="Nothing to learn">
      <Code title="pages/index.tsx">{LINK}</Code>
      <p>
        Links, forms with <code>method="get"</code>, Back and Forward, and scripts that call{' '}
        <code>navigation.navigate()</code> all go the same way: the browser’s Navigation API tells Hydrant of it, the
        server says which module and which data the target needs, both are fetched at the same time, and React puts the
        page in place. Title and meta change with it, the page’s name is announced to screen readers, and scroll and
        focus are the browser’s business, as ever.
      </p>
      <p>
        The server is the only router. No table of routes reaches the browser, so a site of a thousand pages costs it no
        more than one of ten.
      </p>
      <p>
        One thing to know: <code>scroll-behavior: smooth</code> on <code>&lt;html&gt;</code> holds for navigations, too.
        Each new page would then glide to its top instead of standing there.
      </p>
    </Section>
  )
}

function Stays() {
  return (
    <Section id="stays" title="What stays">
      <Table
        caption="What keeps its state during a navigation"
        head={['what', 'is']}
        rows={[
          [
            'a layout that both pages have',
            'kept, with its state, and not loaded again, as long as the parameters in its folder’s path are the same',
          ],
          ['the page, when only its query changes', 'kept, with its state; its load runs'],
          ['the page, for another path', 'new, also when it is the same file'],
        ]}
      />
      <p>After a form all loads run again, those of the layouts, too.</p>
    </Section>
  )
}

function Waiting() {
  return (
    <Section id="waiting" title="While it takes a moment">
      <p>
        After 150 ms a thin bar appears at the top. It has the colour of <code>--hydrant-progress</code>:
      </p>
      <Code title="pages/layout.css" language="css">
        {PROGRESS}
      </Code>
      <p>
        <code>useNavigation()</code> tells components what is going on, and where to:
      </p>
      <Code title="components/spinner.tsx">{USE_NAVIGATION}</Code>
      <Table
        caption="What useNavigation() returns"
        head={['state', 'with', 'while']}
        rows={[
          [<code key="state">idle</code>, 'nothing', 'nothing is going on; always on the server'],
          [<code key="state">loading</code>, <code key="with">url</code>, 'the next page is fetched'],
          [
            <code key="state">submitting</code>,
            <>
              <code>url</code>, <code>formData</code>
            </>,
            'a form is being sent',
          ],
        ]}
      />
      <p>A newer click ends the older one, in the browser and on the server.</p>
    </Section>
  )
}

function Ahead() {
  return (
    <Section id="prefetch" title="Fetched ahead">
      <p>
        Modules and data of a link are fetched when the pointer rests on it, when it gets the focus, and when it is
        touched. They are used once, within ten seconds. Visitors who save data are left alone, and so is what you say:
      </p>
      <Code title="components/menu.tsx">{OFF}</Code>
      <p>
        A load runs for a page that is fetched ahead as for any other, and nothing may come of it. Loads should change
        nothing; for what changes something there are <a href={href('/docs/forms')}>forms</a>.
      </p>
    </Section>
  )
}

function Documents() {
  return (
    <Section id="documents" title="When a document is loaded">
      <Table
        caption="What is left to the browser"
        head={['what', 'happens']}
        rows={[
          ['a link within the page (#…)', 'the browser scrolls'],
          ['download, target, a click with Ctrl or Shift, another site', 'the browser does what it always does'],
          ['a path that ends like a file (/report.pdf)', 'the browser loads it'],
          [
            <>
              <code>data-hydrant-reload</code> on the link or around it
            </>,
            'a document is loaded, on purpose',
          ],
          ['a route of server.ts, an unknown path', 'the server says so, and the browser loads the document'],
          ['the network or a module fails', 'the browser loads the target, so that its own page can speak'],
          [
            'the site has been deployed meanwhile',
            'the next navigation loads the document of its target, which is of the new build. A build keeps the files of the one before, for pages that are open',
          ],
          ['a browser without the Navigation API, or without JavaScript', 'all links load documents, and all works'],
        ]}
      />
      <p>
        The answer to a navigation begins before the loads have ended, and cookies cannot be set any more then. A cookie
        that a load sets later makes the browser load the document once more. A page whose load sets cookies saves this
        by <code>export const stream = false</code> in its <code>.server</code> file: its answer waits for the loads.
      </p>
      <p>
        A page that fails on the way shows its <a href={href('/docs/failures')}>failure</a> at its own address, with the
        digest.
      </p>
    </Section>
  )
}

const LINK = `
import { href } from 'hydrant/react'

<a href={href('/products/[id]', { id: 7 })}>Number 7</a>

<form action={href('/search')}>
  <input name="q" />
</form>
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

const OFF = `
<nav data-hydrant-prefetch="off">
  <a href={href('/archive')}>Archive</a>
  <a href={href('/logout')} data-hydrant-reload>Leave</a>
</nav>
`
