import { mount } from './mount.js'

const element = document.getElementById('playground')
if (element) mount(element)
