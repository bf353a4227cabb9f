export default function Page() {
  return <p>{typeof document === 'undefined' ? 'server' : 'browser'}</p>
}
