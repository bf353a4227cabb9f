import { lazy, Suspense, useState } from 'react'
import drawn from '../../parts/drawn.svg'
import { State } from '../../parts/state.tsx'
import words from '../../parts/words.json'
import styles from './index.module.css'
import './index.css'

const Late = lazy(() => import('../../parts/late.tsx'))

export default function Page() {
  const [isOpen, setOpen] = useState(false)
  return (
    <main className={styles.main}>
      <h1>{words.title}</h1>
      <p id="plain">plain</p>
      <p id="module" className={`${styles.part} ${styles.added}`}>
        module
      </p>
      <p id="imported">imported</p>
      <img id="drawn" src={drawn} alt="" />
      <img id="public" src="/picture.svg" alt="" />
      <button id="open" type="button" onClick={() => setOpen(true)}>
        open
      </button>
      {isOpen && (
        <Suspense>
          <Late />
        </Suspense>
      )}
      <State />
    </main>
  )
}
