import { href, type PageProps } from 'hydrant/react'
import { Code } from '../../components/code.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Section } from '../../components/section.tsx'
import { Table } from '../../components/table.tsx'
import { failing, looking, reading, type Script, scriptFor, sending } from '../../content/scripts.ts'

export default function Scripts({ url }: PageProps) {
  const site = new URL(href('/'), url).href.replace(/\/$/, '')
  return (
    <>
      <PageHead title="Use it from a script" description="A page’s data, its form and its errors, from a terminal." />
      <h1>Use it from a script</h1>
      <p className="lead">
        There is no second interface: a page’s own address answers programs, too. These commands speak to the{' '}
        <a href={href('/notes')}>notes</a> of this very site; copy them into a terminal.
      </p>
      <Section id="read" title="Read">
        <p>
          A page that is asked for <code>application/json</code> answers with what its <code>load</code> returned,
          deferred promises included. Nothing is rendered. Dates are text, and there is a{' '}
          <a href={href('/docs/http', {}, { hash: 'json' })}>table</a> of the rest.
        </p>
        <Samples site={site} scripts={reading} />
      </Section>
      <Section id="send" title="Send">
        <p>
          A page with an <a href={href('/docs/forms')}>action</a> takes forms, with files or without, and JSON. An
          action that calls <code>redirect()</code> answers 303 and <code>Location</code>; one that returns something
          answers with that, and one that returns nothing with 204.
        </p>
        <Samples site={site} scripts={sending} />
        <p>
          No token is needed. What guards visitors against forms of other sites looks at headers that only browsers
          send.
        </p>
      </Section>
      <Section id="errors" title="Errors">
        <p>
          An error is <code>application/problem+json</code>. That of a failure has a <code>digest</code>, which leads to
          its line in the server’s log; it is also in the header <code>X-Error-Digest</code>. A refusal has none: its{' '}
          <code>detail</code> says what is wrong.
        </p>
        <Table
          caption="What a program should do with a status"
          head={['status', 'means', 'and now']}
          rows={[
            ['400, 413, 415, 422', 'what was sent is not right', 'read the answer, send something else'],
            ['404, 405, 406', 'there is no such page, method or form of it', 'another address, method or Accept'],
            ['500', 'a failure', 'report the digest'],
            ['504', 'the deadline has passed', 'report the digest, or try again later'],
          ]}
        />
        <Samples site={site} scripts={failing} />
      </Section>
      <Section id="look" title="Look without reading">
        <p>
          <code>HEAD</code> runs the loads and renders nothing, so redirects, refusals and failures of loads have their
          status. Documents that were sent whole have an <code>ETag</code>; JSON has none, and is never stored without
          being asked for again unless the page says otherwise.
        </p>
        <Samples site={site} scripts={looking} />
        <p>
          Addresses with <code>_hydrant</code> in the query are what browsers use to go from page to page. Leave them
          alone: their answers may change with every version.
        </p>
      </Section>
    </>
  )
}

function Samples({ site, scripts }: { site: string; scripts: readonly Script[] }) {
  return scripts.map((script) => (
    <Code key={script.id} title={script.title} language={script.language}>
      {scriptFor(site, script)}
    </Code>
  ))
}
