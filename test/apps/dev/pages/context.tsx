import { Classy } from '../parts/classy.tsx'
import { Consumer } from '../parts/consumer.tsx'
import { Provider } from '../parts/provider.tsx'
import { State } from '../parts/state.tsx'

export default function Page() {
  return (
    <Provider>
      <h1>context</h1>
      <Consumer />
      <Classy />
      <State />
    </Provider>
  )
}
