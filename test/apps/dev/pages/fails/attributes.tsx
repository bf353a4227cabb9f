export default function Page() {
  return <p className={typeof window === 'undefined' ? 'server' : 'browser'}>text</p>
}
