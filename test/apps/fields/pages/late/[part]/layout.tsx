import { type LayoutProps, refresh, useNavigation, useSubmission } from 'hydrant/react'
import { lazy, Suspense, use } from 'react'
import { DeferredFields } from '../../../components/deferred-fields.tsx'

type Props = LayoutProps<'/late/[part]'>

const SlowFields = lazy(() => import('../../../components/slow-fields.tsx'))

/**
 * The parts are one whose data is deferred, one whose script is slow, and one of the latter in a layout that React
 * renders again while a form is being sent.
 */
export default function Layout(props: Props) {
  return props.params.part === 'updated' ? <Updated {...props} /> : <Parts {...props} />
}

function Updated(props: Props) {
  return <Parts {...props} state={useNavigation().state} />
}

function Parts({ data, params: { part }, children, state }: Props & { state?: string }) {
  const hooked = useSubmission('/late/hooked')
  const Fields = part === 'deferred' ? DeferredFields : SlowFields
  return (
    <>
      <form id="outer" method="post">
        {['same', 'here', 'there'].map((intent) => (
          <button key={intent} type="submit" id={intent} name="intent" value={intent}>
            {intent}
          </button>
        ))}
      </form>
      <form {...hooked.form}>
        <button type="submit" id="hooked">
          Hooked
        </button>
      </form>
      <button type="button" id="refresh" onClick={() => void refresh()}>
        Refresh
      </button>
      <a id="link" href={`/late/${part}/moved`}>
        there
      </a>
      <b id="round">{data.round}</b>
      <i>{state}</i>
      {children}
      <Suspense fallback={<p>Wait</p>}>
        <Steady data={data} />
      </Suspense>
      <Suspense fallback={<p>Wait</p>}>
        <Fields later={data.later} />
      </Suspense>
    </>
  )
}

function Steady({ data }: Pick<Props, 'data'>) {
  Object.assign(globalThis, { given: data.round })
  return <p id="steady">{use(data.steady).round}</p>
}
