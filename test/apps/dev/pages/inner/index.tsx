import { State } from '../../parts/state.tsx'

export default () => (
  <main>
    <h1>inner page</h1>
    <a href="/">home</a>
    <State />
  </main>
)
