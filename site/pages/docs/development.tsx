import { Code } from '../../components/code.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Section } from '../../components/section.tsx'
import { Table } from '../../components/table.tsx'

export default function Development() {
  return (
    <>
      <PageHead title="Development" description="From an edit to the screen, with the state of the page." />
      <h1>Development</h1>
      <p className="lead">
        <code>hydrant dev</code> serves a site and shows each change of its files in the open pages. The pages keep
        their state: counters, inputs, open dialogs.
      </p>
      <Section id="edits" title="What an edit does">
        <Table
          caption="The effect of each kind of edit"
          head={['edit', 'effect']}
          rows={[
            ['a component, a page, a layout', 'React renders it again, with its state'],
            ['a hook or another module', 'the components that use it are updated, with their state'],
            ['a stylesheet, a CSS module', 'the new rules apply at once'],
            [<code key="server">x.server.ts</code>, 'the loads of the open page run again in place'],
            ['a new or deleted page', 'the next request gets it; the open page stays'],
            [<code key="plugin">server.ts</code>, 'the server is created again; the open page stays'],
            [<code key="env">.env</code>, 'the server is created again with the new variables'],
            [<code key="public">public/</code>, 'images of the open page are loaded again'],
          ]}
        />
        <p>
          The server renders the new code, too. A request waits until every change that was saved before it has been
          applied. Modules that have not changed keep their state: a connection to a database stays open.
        </p>
      </Section>
      <Section id="errors" title="Errors">
        <p>
          Errors of the build, the server and the browser appear over the page: the message, the line with its code, the
          components, and the digest. A difference between the server’s HTML and the browser’s is shown line by line.
          Each place opens your editor. The terminal says the same. The error disappears when it is fixed, and the page
          keeps its state.
        </p>
      </Section>
      <Section id="breakpoints" title="Breakpoints">
        <p>
          The browser gets source maps. Set a breakpoint in a <code>.tsx</code> file in the developer tools.
        </p>
      </Section>
      <Section id="environment" title="Environment variables">
        <Code title=".env" language="sh">
          {ENV}
        </Code>
        <p>
          <code>hydrant dev</code>, <code>hydrant build</code> and <code>hydrant start</code> read <code>.env</code>,
          then <code>.env.development</code> or <code>.env.production</code>, then <code>.env.local</code>. A later file
          overrides an earlier one. A variable that the environment has already is kept. Variables that begin with{' '}
          <code>PUBLIC_</code> are in <code>publicEnv</code> of <code>hydrant/react</code>, in the browser, too.
        </p>
      </Section>
    </>
  )
}

const ENV = `DATABASE_URL=postgres://localhost/shop`
