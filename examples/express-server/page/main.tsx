import { showPage } from '../../page/showPage'

await showPage(document.getElementById('root')!)
