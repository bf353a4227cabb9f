import { VaultPage } from '../../components/vault-page.tsx'

export default function Page() {
  return <VaultPage title="Second" />
}
