import { hydrateRoot } from 'react-dom/client'
import { Document } from './document.jsx'
import './client.css'

hydrateRoot(document, <Document {...window.state} />)
