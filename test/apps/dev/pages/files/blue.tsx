import '../../parts/red.css'
import '../../parts/blue.css'

export default () => (
  <a id="order" href="/files/red">
    blue
  </a>
)
