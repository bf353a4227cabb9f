import { Aliased } from '@parts/aliased'
import dual, { found } from 'dual'
import functionCjs from 'function-cjs'
import { isSame } from 'import-only'
import * as marked from 'marked-cjs'
import plainCjs, { named } from 'plain-cjs'
import esm, { second } from 'plain-esm'
import { sub } from 'plain-esm/sub'
import { lazy, Suspense, useState } from 'react'
import { styled } from 'styled-esm'
import 'styled-esm/style.css'
import common, { again, text as commonText, missing, optional } from '../parts/common.cjs'
import { list, name } from '../parts/data.json'
import { even } from '../parts/even'
import * as all from '../parts/exports'
import Note from '../parts/first.note'
import { legacy } from '../parts/legacy.jsx'
import made, * as madeAll from '../parts/made.cjs'
import { plain } from '../parts/plain.js'
import { State } from '../parts/state'
import text from '../parts/text.txt'
import './index.css'

const Lazy = lazy(() => import('../parts/lazy'))

export default function Page() {
  const [late, setLate] = useState('')
  const [later, setLater] = useState('')
  const values = {
    common: commonText,
    commonAgain: String(again() && common.text === commonText),
    commonMissing: missing(),
    commonOptional: optional(),
    dual: `${dual()}, ${common.dual}, ${isSame(found)}`,
    made: `${made()} ${madeAll.extra} ${madeAll.default === made}`,
    cjs: `${plainCjs.other}, ${named}`,
    functionCjs: functionCjs(),
    marked: marked.named,
    esm: `${esm}, ${second}, ${sub}`,
    all: [all.star, all.spaces.inner, all.renamed, all.default, all.cjsNamed, all.esmAll.named].join(', '),
    even: String(even(4)),
    text: text.trim(),
    json: `${name} ${list.length}`,
    legacy: legacy(),
    plain,
  }
  const loadLate = () => import('late-esm').then((module) => setLate(module.late))
  const loadLater = () => import('../parts/made.cjs').then((module) => setLater(module.default()))
  return (
    <main>
      {Object.entries(values).map(([key, value]) => (
        <p key={key} id={key}>
          {value}
        </p>
      ))}
      <p id="styled">{styled}</p>
      <Aliased />
      <Note />
      <button id="late" type="button" onClick={loadLate}>
        {late}
      </button>
      <button id="later" type="button" onClick={loadLater}>
        {later}
      </button>
      <Suspense>
        <Lazy />
      </Suspense>
      <State />
    </main>
  )
}
