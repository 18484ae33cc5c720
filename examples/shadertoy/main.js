// Compiles the document in the page, and plays it. With `?frames=20`, it stops after so many frames and reports its pixels.
import { shadertoy } from 'planish/shadertoy';
import life from './life.json';
import { player } from './player.js';

const report = (what, body) => fetch(`/report?${what}`, { method: 'POST', body }).catch(() => {});
try {
    const { name, passes, unsupported } = shadertoy(life);
    document.title = name;
    document.querySelector('ul').append(...unsupported.map(({ message }) => Object.assign(document.createElement('li'), { textContent: message })));
    const canvas = document.querySelector('canvas');
    const device = await (await navigator.gpu.requestAdapter()).requestDevice();
    const context = canvas.getContext('webgpu');
    const format = navigator.gpu.getPreferredCanvasFormat();
    context.configure({ device, format, alphaMode: 'opaque' });
    const draw = player(device, context, format, { passes });

    const frames = new URLSearchParams(location.search).get('frames');
    if (frames === null) {
        let frame = 0;
        const play = (time) => {
            draw(frame++, { iTime: [time / 1000], iTimeDelta: [1 / 60], iFrameRate: [60], iMouse: [0, 0, 0, 0] });
            requestAnimationFrame(play);
        };
        requestAnimationFrame(play);
    } else {
        for (let frame = 0; frame < Number(frames); frame++) draw(frame, { iTime: [frame / 60] });
        // Pixels of a canvas are there until the next task.
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
        copy.drawImage(canvas, 0, 0);
        await report('pixels', copy.getImageData(0, 0, canvas.width, canvas.height).data);
        await report('unsupported', document.querySelector('ul').innerText);
    }
} catch (error) {
    await report('error', `${error}\n${error.stack}`);
    throw error;
}
