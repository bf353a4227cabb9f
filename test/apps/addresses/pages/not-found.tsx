import { HomeLink } from '../components/home-link.tsx'

export default function Page() {
  return <HomeLink />
}
