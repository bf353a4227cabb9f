import type { PageProps } from 'hydrant/react'
import { type ReactNode, Suspense, use } from 'react'

type Late = Promise<string>

const DATA = '"<!--$?--><template id=\\"B:0\\"></template>x<!--/$-->"'

export default function Page({ data }: PageProps<'/parts'>) {
  return (
    <main>
      <script type="application/json" id="data" dangerouslySetInnerHTML={{ __html: DATA }} />
      <p id="paragraph">
        before{' '}
        <Suspense fallback="loading text">
          <b>
            <Text of={data.text} />
          </b>
        </Suspense>{' '}
        after
      </p>
      <Suspense
        fallback={
          <p>
            loading <i>element</i>
          </p>
        }
      >
        <Part of={data.element}>
          <Suspense
            fallback={
              <>
                <p>loading nested</p>
                <p>more</p>
              </>
            }
          >
            <Part of={data.nested} />
          </Suspense>
        </Part>
      </Suspense>
      <p id="between">between</p>
      <table>
        <tbody>
          <tr>
            <td>first row</td>
          </tr>
          <Suspense
            fallback={
              <>
                <tr>
                  <td>loading row</td>
                </tr>
                <tr>
                  <td>more</td>
                </tr>
              </>
            }
          >
            <Row of={data.row} />
          </Suspense>
          <tr>
            <td>last row</td>
          </tr>
        </tbody>
      </table>
      <svg width="60" height="60" aria-hidden="true">
        <Suspense fallback={<rect id="rect" width="10" height="10" />}>
          <Circle of={data.radius} />
        </Suspense>
      </svg>
      <ul>
        <Suspense fallback={<li>loading list</li>}>
          <li>
            <Text of={data.list} />
            <Suspense>
              <b>
                {' '}
                <Text of={data.inner} />
              </b>
            </Suspense>
          </li>
        </Suspense>
        <li>last item</li>
      </ul>
    </main>
  )
}

function Text({ of }: { of: Late }) {
  return use(of)
}

function Part({ of, children }: { of: Late; children?: ReactNode }) {
  return (
    <section>
      {use(of)}
      {children}
    </section>
  )
}

function Row({ of }: { of: Late }) {
  return (
    <tr>
      <td>{use(of)}</td>
    </tr>
  )
}

function Circle({ of }: { of: Promise<number> }) {
  return <circle id="circle" cx="20" cy="20" r={use(of)} />
}
