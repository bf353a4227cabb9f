import {
  FailureBoundary,
  href,
  Image,
  prefetch,
  publicEnv,
  refresh,
  useLayoutData,
  useLive,
  useNavigation,
  useParams,
  useRestoredState,
  useSubmission,
  useUrl,
} from 'hydrant/react'
import { type ReactNode, useId } from 'react'
import { Twice } from '../components/twice.tsx'
import photo from '../photo.svg?image'

const top = href('/about')

/** What the page does with each export. The tags have a URL if the export makes one. */
const USES: Record<keyof typeof import('hydrant/react'), () => ReactNode> = {
  FailureBoundary: () => (
    <FailureBoundary>
      <a href={href('/about')}>inside</a>
    </FailureBoundary>
  ),
  Image: () => <Image src={photo} alt="" />,
  href: () => <Links />,
  prefetch: () => (
    <button type="button" onClick={() => prefetch(href('/about'))}>
      prefetch
    </button>
  ),
  publicEnv: () => <i>{typeof publicEnv}</i>,
  refresh: () => (
    <button type="button" onClick={() => refresh()}>
      refresh
    </button>
  ),
  useLayoutData: () => <WithLayoutData />,
  useLive: () => <WithLive />,
  useNavigation: () => <WithNavigation />,
  useParams: () => <WithParams />,
  useRestoredState: () => <WithRestoredState />,
  useSubmission: () => <WithSubmissions />,
  useUrl: () => <WithUrl />,
}

export default function Page() {
  return (
    <Twice>
      {Object.entries(USES).map(([name, use]) => (
        <div key={name} id={name}>
          {use()}
        </div>
      ))}
    </Twice>
  )
}

function Links() {
  return (
    <>
      <a href={href('/')}>home</a>
      <a href={href('/p/[id]', { id: '7' }, { search: { a: 1 } })}>product</a>
      <a href={top}>about</a>
    </>
  )
}

function WithLayoutData() {
  return <i>{JSON.stringify(useLayoutData('/'))}</i>
}

function WithParams() {
  return <i>{JSON.stringify(useParams('/'))}</i>
}

function WithRestoredState() {
  return <i>{useRestoredState(useId(), 0)[0]}</i>
}

function WithUrl() {
  return <i>{useUrl().pathname}</i>
}

function WithLive() {
  return <i>{useLive()}</i>
}

function WithNavigation() {
  return <i>{JSON.stringify(useNavigation())}</i>
}

function WithSubmissions() {
  const forms = {
    about: useSubmission('/about').form,
    product: useSubmission('/p/[id]', { id: '7' }).form,
    home: useSubmission('/').form,
    search: useSubmission('/', {}, { search: { a: 1 } }).form,
  }
  return Object.entries(forms).map(([name, form]) => <form key={name} {...form} />)
}
